"""Judge whether two outcomes agree: the test oracle of a differential test."""
