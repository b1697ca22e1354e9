"""Settings, their validators, and the baseline of known findings."""
