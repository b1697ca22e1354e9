"""Prompt: "merge overlapping meetings; back-to-back meetings become one block"."""


# lsp-evalplus: reference=references/meetings.py::busy_blocks
def busy_blocks(meetings: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge meetings, given as (start, end) in minutes, into the blocks of time that are taken."""
    blocks: list[tuple[int, int]] = []
    for start, end in sorted(meetings):
        if blocks and start < blocks[-1][1]:
            blocks[-1] = (blocks[-1][0], max(blocks[-1][1], end))
        else:
            blocks.append((start, end))
    return blocks
