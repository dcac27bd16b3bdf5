"""The nightly job: votes from the archive, fits, answers and pictures of all boards, one release. No command line."""
