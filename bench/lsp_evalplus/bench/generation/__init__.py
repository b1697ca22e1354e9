"""Generate samples with a language model."""
