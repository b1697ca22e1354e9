"""What host and guest agree on: frames, channel, job kinds, scratch folder. Pure: outsiders may import it."""
