"""What the owner sets: the settings of the service, and how large files may be. Read once, in mains."""
