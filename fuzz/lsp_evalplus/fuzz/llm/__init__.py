"""Language models: client, prompts, budget, consent; generated seeds, oracles and fixes."""
