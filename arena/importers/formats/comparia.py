"""compar:IA: the winner is told by name, or both are equal, or there is no vote."""

from __future__ import annotations

from collections.abc import Iterator

from arena.importers.files.rows import Row
from arena.importers.formats.battle_rows import Layout, vote_of
from arena.importers.formats.registry import reader
from arena.importers.rules.checks import NO_OUTCOME, Checks
from arena.importers.values.values import NotVote, Reject, boolean, is_missing
from arena.votes import Outcome, Vote

SIDES = ("model_a_name", "model_b_name")
CHOSEN = "chosen_model_name"
LAYOUT = Layout(
    vote_id=("conversation_pair_id", "id"),
    voter=("visitor_id", "session_hash"),
    prompt=("opening_msg",),
    language=("languages", "language"),
    category=("selected_category", "categories"),
)


@reader("comparia", "compar:IA votes: chosen_model_name, both_equal", (*SIDES, CHOSEN, "both_equal"))
def comparia(row: Row, checks: Checks) -> Iterator[Vote]:
    """A name outside the pair, or a choice between equals, is refused; neither choice nor equality is no vote."""
    names = checks.pair(row.get(SIDES[0]), row.get(SIDES[1]), SIDES)
    equal = boolean(row.get("both_equal"), "both_equal")
    chosen = row.get(CHOSEN)
    if is_missing(chosen):
        if not equal:
            checks.named.update(names)
            raise NotVote(NO_OUTCOME)
        yield vote_of(row, checks, LAYOUT, names, Outcome.TIE)
        return
    name = checks.names.read(chosen, CHOSEN)
    if equal:
        raise Reject(CHOSEN, chosen, "one is chosen and both are equal: a contradiction")
    if name not in names:
        raise Reject(CHOSEN, chosen, f"is neither of the pair {names[0]!r} and {names[1]!r}")
    yield vote_of(row, checks, LAYOUT, names, Outcome(names.index(name)))


def _refused(row: Row, checks: Checks) -> Iterator[Vote]:
    return iter(())


reader(
    "comparia_reactions",
    "compar:IA reactions",
    (*SIDES, "liked", "disliked"),
    refusal="compar:IA reactions like or dislike one message; they compare no two models and are no pairwise votes",
)(_refused)
reader(
    "comparia_conversations",
    "compar:IA conversations",
    (*SIDES, "total_conv_a_output_tokens", "total_conv_b_output_tokens"),
    refusal="compar:IA conversations hold no votes; those are in the votes file",
)(_refused)
