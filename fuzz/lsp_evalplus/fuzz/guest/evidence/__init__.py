"""What is known of one outcome: what it changed, its type, and what depends on order, rounding or a refusal."""
