"""Opening, unpacking and splitting files into rows, with a place for each row."""
