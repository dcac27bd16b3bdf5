"""All Our Ideas: votes between two ideas of a wiki survey; the ideas are the models."""

from __future__ import annotations

from collections.abc import Iterator

from arena.importers.files.rows import Row
from arena.importers.formats.battle_rows import first_identifier, voter_of
from arena.importers.formats.registry import reader
from arena.importers.rules.checks import Checks
from arena.importers.values.values import Reject, boolean, identifier
from arena.votes import Outcome, Vote

NEEDS = ("Vote ID", "Winner ID", "Loser ID", "Left Choice ID", "Right Choice ID")


@reader("allourideas", "All Our Ideas votes (skips are another file)", NEEDS)
def allourideas(row: Row, checks: Checks) -> Iterator[Vote]:
    """Ideas are named by their text, and by their id where the text is missing. Invalid votes do not count."""
    winner, loser, left, right = (identifier(row.get(column), column) for column in NEEDS[1:])
    texts = {winner: row.get("Winner Text") or winner, loser: row.get("Loser Text") or loser}
    if {winner, loser} != {left, right}:
        raise Reject("Winner ID", winner, f"winner and loser are not the pair shown ({left} and {right})")
    names = checks.pair(texts[left], texts[right], ("Left Choice ID", "Right Choice ID"))
    valid = boolean(row.get("Valid"), "Valid") if "Valid" in row.values else True
    yield Vote(
        vote_id=first_identifier(row, ("Vote ID",)) or "",
        model_a=names[0],
        model_b=names[1],
        outcome=Outcome.A if winner == left else Outcome.B,
        at=checks.times.read(row.get("Created at"), "Created at"),
        voter=voter_of(row, ("Session ID", "Session Identifier")),
        reason="self_battle" if names[0] == names[1] else None if valid else "excluded_at_source",
    )
