"""FastChat: the raw log of its web server, and MT-bench's human judgments."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.importers.files.rows import Row
from arena.importers.files.sources import Source
from arena.importers.formats.battle_rows import Layout, battle
from arena.importers.formats.registry import Parse, Sample, reader
from arena.importers.rules.checks import Checks
from arena.importers.rules.conversations import Talk, talk, text_id
from arena.importers.rules.response_errors import fault
from arena.importers.values.values import NotVote, Reject, identifier, is_missing
from arena.votes import Outcome, Vote

VOTES = {
    "leftvote": Outcome.A,
    "rightvote": Outcome.B,
    "tievote": Outcome.TIE,
    "bothbad_vote": Outcome.BOTH_BAD,
}
# What else its log holds; anything outside both lists is refused.
EVENTS = frozenset(
    (
        "chat",
        "upvote",
        "downvote",
        "flag",
        "share",
        "regenerate",
        "clear_history",
        "load",
        "feedback",
        "reroll",
    )
)
SALTED_BY = 1 << 16  # the first bytes of the log: whoever lacks the log cannot try all addresses


def _begin(source: Source, checks: Checks) -> Parse:
    """Addresses become pseudonyms that hold within this log; the address itself is kept nowhere."""
    with source.plain() as stream:
        salt = hashlib.sha256(stream.read(SALTED_BY)).digest()

    def parse(row: Row, checks: Checks) -> Iterator[Vote]:
        yield _vote(row, checks, salt)

    return parse


@reader("fastchat_log", "FastChat's raw log: one event a line", ("type", "models", "states"), begin=_begin)
def fastchat_log(row: Row, checks: Checks) -> Iterator[Vote]:
    """Lines that are no votes are counted by their type. Blind when the names stand in `states` only."""
    yield _vote(row, checks, b"")


def _vote(row: Row, checks: Checks, salt: bytes) -> Vote:
    kind = row.get("type")
    if not isinstance(kind, str) or kind not in VOTES:
        if isinstance(kind, str) and kind in EVENTS:
            raise NotVote(f"event_{kind}")
        raise Reject("type", kind, f"unknown event; votes are {', '.join(VOTES)}")
    states = row.get("states")
    if (
        not isinstance(states, list)
        or len(states) != 2
        or not all(isinstance(each, Mapping) for each in states)
    ):
        raise Reject("states", states, "must be a list of the two sides' states")
    names, blind = _names(row.get("models"), states, checks)
    a, b = (_talk(state) for state in states)
    asked = next((side.prompts for side in (a, b) if side is not None), ())
    address = identifier(row.get("ip"), "ip")
    reason = "not_blind" if not blind else "self_battle" if names[0] == names[1] else fault(a, b, names)
    return Vote(
        vote_id=identifier(states[0].get("conv_id"), "states") or "",
        model_a=names[0],
        model_b=names[1],
        outcome=VOTES[kind],
        at=checks.times.read(row.get("tstamp"), "tstamp"),
        voter=_pseudonym(address, salt) if address else None,
        prompt=text_id("\n".join(asked)),
        reason=reason,
        traits=_traits(a, b),
    )


def _names(models: Any, states: Sequence[Mapping[str, Any]], checks: Checks) -> tuple[tuple[str, str], bool]:
    """The two names, and whether the voter could not see them: shown names are empty or `Model A`."""
    if not isinstance(models, list) or len(models) != 2:
        raise Reject("models", models, "must be a list of two names, empty in blind battles")
    shown = [_without_html(name) for name in models]
    hidden = [state.get("model_name") for state in states]
    blind = [is_missing(name) or name in ("Model A", "Model B") for name in shown]
    if blind[0] != blind[1]:
        raise Reject("models", models, "one side is named and the other is not")
    if blind[0]:
        return checks.pair(hidden[0], hidden[1], ("states", "states")), True
    if not any(is_missing(name) for name in hidden) and shown != hidden:
        raise Reject("models", models, f"the states say {hidden}")
    return checks.pair(shown[0], shown[1], ("models", "models")), False


def _without_html(name: Any) -> Any:
    """`<h3>Model A: vicuna-13b</h3>` as older logs have it."""
    if isinstance(name, str) and name.startswith("<h3>"):
        return name.removeprefix("<h3>").strip().removesuffix("</h3>").partition(": ")[2] or name
    return name


def _talk(state: Mapping[str, Any]) -> Talk | None:
    messages, offset = state.get("messages"), state.get("offset", 0)
    if not isinstance(messages, list) or not isinstance(offset, int) or not 0 <= offset <= len(messages):
        return None
    return talk(messages[offset:]) if messages[offset:] else None


def _traits(a: Talk | None, b: Talk | None) -> dict[str, tuple[float, float]]:
    if a is None or b is None:
        return {}
    one, other = a.traits(), b.traits()
    return {name: (one[name], other[name]) for name in one}


def _pseudonym(address: str, salt: bytes) -> str:
    return "ip-" + hmac.new(salt, address.encode("utf-8"), hashlib.sha256).hexdigest()[:16]


MT_BENCH = Layout(vote_id=(), at=(), voter=("judge",), prompt=("question_id",), language=(), category=())
INCONSISTENT = "tie (inconsistent)"


def _is_mt_bench(columns: Sequence[str], sample: Sample) -> bool:
    """Its questions are numbers, and it has none of what the arena's rows add."""
    return not {"anony", "tstamp", "language", "conv_metadata"}.intersection(columns)


@reader(
    "mt_bench_human",
    "MT-bench human judgments (and GPT-4's in the same form)",
    ("question_id", "model_a", "model_b", "winner", "judge", "conversation_a", "conversation_b", "turn"),
    fits=_is_mt_bench,
)
def mt_bench_human(row: Row, checks: Checks) -> Iterator[Vote]:
    """`question_id` is the prompt and no vote id; a tie by disagreement of the two orders is a tie."""
    if row.get("winner") == INCONSISTENT:
        checks.count("ties because the two orders disagreed")
        yield battle(row, checks, MT_BENCH, Outcome.TIE)
    else:
        yield battle(row, checks, MT_BENCH)
