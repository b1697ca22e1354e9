"""The trusted side of a guest process: start it, talk to it, end it."""
