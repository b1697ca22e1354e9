"""The life of a guest process: zygote, forked child, spawned process, monitor."""
