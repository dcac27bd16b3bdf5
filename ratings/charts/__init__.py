"""Pictures of boards and answers, the only room that knows altair."""
