"""Votes on disk: Parquet partitions, manifest, exports, backups. What is archived is only ever added to."""
