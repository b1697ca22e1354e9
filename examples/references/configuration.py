"""Trusted: the defaults are shared by every caller, so they are never written to."""


def merged(defaults: dict, overrides: dict) -> dict:
    """Return the defaults with the overrides laid over them; nested dicts are merged, nothing else is.

    >>> merged({"log": {"level": "info", "color": True}}, {"log": {"level": "debug"}})
    {'log': {'level': 'debug', 'color': True}}
    """
    result = dict(defaults)
    for key, value in overrides.items():
        if isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        else:
            result[key] = value
    return result
