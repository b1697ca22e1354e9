"""What functions read and do outside of their parameters: the process, its files, requests, and other programs."""
