"""Settings, their validation, severities, and the baseline of accepted findings."""
