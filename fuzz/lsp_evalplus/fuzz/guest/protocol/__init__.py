"""What host and guest agree on: frames, channel, kinds of jobs, scratch folder, resource usage. Pure: outsiders may import it."""
