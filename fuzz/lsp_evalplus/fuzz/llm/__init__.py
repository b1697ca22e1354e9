"""Language models: client, prompts, budget, consent; seeds, oracles and fixes that they give."""
