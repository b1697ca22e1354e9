"""Prompt: "merge the user's settings over the defaults, deeply"."""


# lsp-evalplus: reference=references/configuration.py::merged
def merged(defaults: dict, overrides: dict) -> dict:
    """Return the defaults with the overrides laid over them; nested dicts are merged, nothing else is."""
    result = defaults
    for key, value in overrides.items():
        if isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        else:
            result[key] = value
    return result
