"""The commands of `bench`, one file for each family of questions."""
