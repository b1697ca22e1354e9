"""Where first inputs come from."""
