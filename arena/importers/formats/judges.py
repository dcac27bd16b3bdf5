"""Judgments by models: AlpacaEval, Arena-Hard, and MT-bench pairs. The judge is the voter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from arena.importers.files.rows import Row
from arena.importers.formats.battle_rows import (
    Layout,
    first_identifier,
    reason_of,
    talks_of,
    traits_of,
    voter_of,
)
from arena.importers.formats.registry import reader
from arena.importers.rules.checks import Checks
from arena.importers.rules.conversations import structure, text_id
from arena.importers.values.values import NotVote, Reject, decimal, identifier, is_missing, text
from arena.votes import Outcome, Vote

UNSCORED = "unscored"
JUDGE_ERROR = "judge_error"
ORDER = "verdicts that changed with the order"
ALPACA = Layout(responses=("output_1", "output_2"))


@reader(
    "alpacaeval",
    "AlpacaEval annotations: generator_1, generator_2, preference 1 to 2",
    ("generator_1", "generator_2", "preference"),
)
def alpacaeval(row: Row, checks: Checks) -> Iterator[Vote]:
    """Below 1.5 the first (the baseline) wins, above the second; 1.5 and 0 are ties; nothing is no vote.

    A vote is a choice: of a judge's probability only its side enters. Its mean, the published win rate, is reported
    as a measure. The order that the judge saw was shuffled and is not recorded.
    """
    names = checks.pair(row.get("generator_1"), row.get("generator_2"), ("generator_1", "generator_2"))
    value = row.get("preference")
    if is_missing(value):
        checks.named.update(names)
        raise NotVote(UNSCORED)
    preference = decimal(value, "preference")
    if preference is None or not (preference == 0 or 1 <= preference <= 2):
        raise Reject("preference", value, "must be between 1 and 2, or 0 for a draw")
    share = 0.5 if preference == 0 else preference - 1
    outcome = Outcome.TIE if share == 0.5 else Outcome.B if share > 0.5 else Outcome.A
    item_column, item = row.first(("instruction_index", "instruction"))
    prompt = (
        identifier(item, item_column)
        if item_column == "instruction_index"
        else text_id(text(item, item_column) or "")
    )
    judge = voter_of(row, ("annotator",))
    talks = talks_of(row, ALPACA)
    dataset = text(row.get("dataset"), "dataset")
    # One judgment for each item, pair and judge; the file has no other id.
    vote_id = "" if prompt is None else text_id("\0".join((prompt, *names, judge or ""))) or ""
    checks.account.measure("mean preference", f"{names[1]} over {names[0]}", share, vote_id)
    yield Vote(
        vote_id=vote_id,
        model_a=names[0],
        model_b=names[1],
        outcome=outcome,
        voter=judge,
        prompt=prompt,
        categories=(dataset,) if dataset else (),
        reason=reason_of(row, ALPACA, names, talks),
        traits=_lengths(row) or traits_of(row, ALPACA, talks),
        side_known=False,
    )


def _lengths(row: Row) -> dict[str, tuple[float, float]]:
    found = [
        decimal(row.get(column), column)
        for column in ("len_output_1", "len_output_2")
        if column in row.values
    ]
    return {"length": (found[0], found[1])} if len(found) == 2 and None not in found else {}  # type: ignore[dict-item]


@reader(
    "arena_hard",
    "Arena-Hard judgments: two games, the second with the sides exchanged",
    ("model", "judge", "games"),
)
def arena_hard(row: Row, checks: Checks) -> Iterator[Vote]:
    """Each game is a vote. In the first the baseline is A, in the second the model is. Strength is not weighed."""
    if "baseline" not in row.values:
        checks.note("the file does not name the baseline; it is called 'baseline'")
    model, baseline = checks.pair(
        row.get("model"), row.first(("baseline",))[1] or "baseline", ("model", "baseline")
    )
    games = structure(row.get("games"))
    if not isinstance(games, list) or not 1 <= len(games) <= 2:
        raise Reject("games", games, "must be a list of one or two games")
    item_column, item = row.first(("question_id", "uid"))
    question, judge = identifier(item, item_column), voter_of(row, ("judge",))
    verdicts = [_verdict(game) for game in games]
    shares = [None if found is None else found.score for found in verdicts]
    if len(shares) == 2 and shares[0] is not None and shares[1] is not None:
        case = f"{question}/{model}/{baseline}" if question else ""
        checks.account.measure(ORDER, judge or "judge", float(shares[0] != 1 - shares[1]), case)
    for game, outcome in enumerate(verdicts, 1):
        sides = (baseline, model) if game == 1 else (model, baseline)
        if outcome is None:
            checks.count("games without a verdict")
            continue
        yield Vote(
            vote_id="" if question is None else f"{question}/{model}/{baseline}/{judge or ''}/{game}",
            model_a=sides[0],
            model_b=sides[1],
            outcome=outcome,
            at=checks.times.read(row.get("tstamp"), "tstamp"),
            voter=judge,
            prompt=question,
            categories=_category(row),
            reason="self_battle" if model == baseline else None,
        )
    if not any(outcome is not None for outcome in verdicts):
        raise NotVote(UNSCORED)


def _verdict(game: Any) -> Outcome | None:
    """Who wins a game as shown, A or B; None if the judge gave no verdict."""
    score = game.get("score") if isinstance(game, Mapping) else game
    if is_missing(score):
        return None
    words = {
        "A>B": 0,
        "A>>B": 0,
        "B<A": 0,
        "B<<A": 0,
        "B>A": 1,
        "B>>A": 1,
        "A<B": 1,
        "A<<B": 1,
        "A=B": 2,
        "B=A": 2,
    }
    if not isinstance(score, str) or score not in words:
        raise Reject("games", score, "unknown verdict; known: A>>B, A>B, A=B, B>A, B>>A")
    return Outcome(words[score])


def _category(row: Row) -> tuple[str, ...]:
    word = text(row.get("category"), "category")
    return (word,) if word else ()


@reader(
    "mt_bench_pair",
    "FastChat's pair judgments: g1_winner and g2_winner",
    ("model_1", "model_2", "g1_winner", "g2_winner"),
)
def mt_bench_pair(row: Row, checks: Checks) -> Iterator[Vote]:
    """Both orders were judged: one vote, a tie where they disagree (MT-bench's own rule); no vote where one failed."""
    names = checks.pair(row.get("model_1"), row.get("model_2"), ("model_1", "model_2"))
    words = {"model_1": Outcome.A, "model_2": Outcome.B, "tie": Outcome.TIE, "error": None}
    games = [_game(row.get(column), column, words) for column in ("g1_winner", "g2_winner")]
    yield _both_orders(row, checks, names, (games[0], games[1]), voter_of(row, ("judge",)))


@reader(
    "mt_bench_orders",
    "pair judgments in both orders: winner_ab and winner_ba",
    ("model_a", "model_b", "winner", "winner_ab", "winner_ba"),
)
def mt_bench_orders(row: Row, checks: Checks) -> Iterator[Vote]:
    """`winner_ba` was judged with the sides exchanged. `winner` (a name, tie, inconsistent, error) must agree."""
    names = checks.pair(row.get("model_a"), row.get("model_b"))
    words = {"A": Outcome.A, "B": Outcome.B, "tie": Outcome.TIE, "error": None}
    ab = _game(row.get("winner_ab"), "winner_ab", words)
    ba = _game(row.get("winner_ba"), "winner_ba", words)
    games = (ab, None if ba is None else ba.mirrored)
    said = row.get("winner")
    if said not in _told(games, names):
        raise Reject("winner", said, f"the two games say {' or '.join(_told(games, names))}")
    yield _both_orders(row, checks, names, games, voter_of(row, ("judge_id", "judge")))


Games = tuple[Outcome | None, Outcome | None]


def _game(value: Any, column: str, words: Mapping[str, Outcome | None]) -> Outcome | None:
    if not isinstance(value, str) or value not in words:
        raise Reject(column, value, f"unknown outcome; known: {', '.join(words)}")
    return words[value]


def _told(games: Games, names: tuple[str, str]) -> tuple[str, ...]:
    if None in games:
        return (JUDGE_ERROR.removeprefix("judge_"),)
    if games[0] is not games[1]:
        return ("inconsistent",)
    return ("tie",) if games[0] is Outcome.TIE else (names[int(games[0] or 0)],)


def _both_orders(row: Row, checks: Checks, names: tuple[str, str], games: Games, judge: str | None) -> Vote:
    if games[0] is None or games[1] is None:
        checks.named.update(names)
        raise NotVote(JUDGE_ERROR)
    same = games[0] is games[1]
    question = first_identifier(row, ("question_id",))
    turn = first_identifier(row, ("turn",))
    vote_id = "" if question is None else "/".join((question, *names, judge or "", turn or ""))
    checks.account.measure(ORDER, judge or "judge", float(not same), vote_id)
    return Vote(
        vote_id=vote_id,
        model_a=names[0],
        model_b=names[1],
        outcome=games[0] if same else Outcome.TIE,
        at=checks.times.read(row.get("tstamp"), "tstamp"),
        voter=judge,
        prompt=question,
        categories=_category(row),
        reason="self_battle" if names[0] == names[1] else None,
        side_known=False,
    )
