"""Generation of samples with a language model."""
