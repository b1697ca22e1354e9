"""The environment of a benchmark's programs: another interpreter than the tool's, from a lock file with hashes."""
