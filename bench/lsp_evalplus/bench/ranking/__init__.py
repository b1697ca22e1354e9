"""Many runs against each other: ratings, ranks with significance tiers, solve rates, and pages that show them."""
