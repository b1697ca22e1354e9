"""Prompt: "compress repeated log lines". This one is right."""


# lsp-evalplus: reference=references/runs.py::runs
def runs(lines: list[str]) -> list[tuple[str, int]]:
    """Return each line with how often it stands there in a row."""
    result: list[tuple[str, int]] = []
    for line in lines:
        if result and result[-1][0] == line:
            result[-1] = (line, result[-1][1] + 1)
        else:
            result.append((line, 1))
    return result
