"""Judges beside people: a model's verdicts held against people's votes on the same pairs of answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arena.errors import ArenaError, NoData
from arena.votes import Outcome, VoteTable
from ratings.benchmarks.methods.judge import (
    CODES,
    LABELS,
    LengthReport,
    OrderReport,
    length_report,
    order_report,
)
from ratings.diagnostics.judge_board import JudgeBoard, JudgedModel, beside
from ratings.diagnostics.position import PositionBias, position_bias
from ratings.stats.intervals import Interval, pass_interval
from ratings.stats.kappa import Kappa, jackknife_kappa, kappa
from ratings.tables import DASH, Section, Table, count, estimate, interval, number, p_value

Key = tuple[str, str, str]  # prompt, models in order of name
OUTCOMES = (Outcome.A, Outcome.B, Outcome.TIE)


@dataclass(frozen=True)
class JudgeReport:
    """A judge against the majority of people, over pairs of answers that both judged."""

    pairs: int
    only_people: int
    only_judge: int
    votes: int  # people's, on the shared pairs
    contested: (
        int  # pairs whose majority is a tie of counts, settled by the verdict given first ("first mode")
    )
    labels: tuple[str, ...]
    confusion: tuple[
        tuple[int, ...], ...
    ]  # people down, judge across; a: the side that stood left for people
    agreement: Interval  # Wilson, pairs as if independent
    agreement_decisive: Interval  # where neither says tie
    kappa: Kappa  # asymptotic, pairs as if independent
    kappa_by_prompt: Kappa | None  # jackknife over prompts: pairs of one prompt are not independent
    position_people: PositionBias
    position_judge: PositionBias
    length: LengthReport | None  # None: no lengths known
    order: OrderReport | None  # None: the judge saw no pair in both orders
    board: JudgeBoard | None  # both boards over the shared pairs; None: too few votes for one
    board_why: str | None


def against(people: VoteTable, judge: VoteTable, level: float = 0.95) -> JudgeReport:
    """The report of `judge` (each pair judged once or in both orders) against `people`.

    People's verdict on a prompt and pair is the most frequent one; both-bad counts as a tie. Raises `NoData` when
    no pair is shared.
    """
    votes = _by_pair(people)
    verdicts = _by_pair(judge, votes)
    shared = [key for key in votes if key in verdicts]
    if not shared:
        raise NoData("people and judge have no prompt and pair of models in common")
    pairs = [votes[key] for key in shared]
    own, said = [_mode(pair) for pair in pairs], [_mode(verdicts[key]) for key in shared]
    table = np.zeros((3, 3))
    np.add.at(table, (own, said), 1)
    agree = int(np.trace(table))
    decisive = table[:2, :2]
    board, why = _board(people, judge, set(shared))
    return JudgeReport(
        pairs=len(shared),
        only_people=len(votes) - len(shared),
        only_judge=len(verdicts) - len(shared),
        votes=sum(sum(pair.counts.values()) for pair in pairs),
        contested=sum(_is_contested(pair) for pair in pairs),
        labels=LABELS,
        confusion=tuple(tuple(int(cell) for cell in row) for row in table),
        agreement=pass_interval(agree, len(shared), level),
        agreement_decisive=pass_interval(int(np.trace(decisive)), int(decisive.sum()), level),
        kappa=kappa(table, level=level),
        kappa_by_prompt=_by_prompt(shared, own, said, level),
        position_people=position_bias(people),
        position_judge=position_bias(judge),
        length=_length(pairs, own, said, level),
        order=_order(judge, level),
        board=board,
        board_why=why,
    )


def _board(people: VoteTable, judge: VoteTable, shared: set[Key]) -> tuple[JudgeBoard | None, str | None]:
    try:
        return beside(_among(people, shared), _among(judge, shared)), None
    except ArenaError as error:
        return None, str(error)


def _among(table: VoteTable, shared: set[Key]) -> VoteTable:
    """The votes on the shared prompts and pairs."""
    rows = [row for row in range(len(table)) if _key(table, row) in shared]
    return table.take(np.array(rows, dtype=np.intp))


def _key(table: VoteTable, row: int | np.intp) -> Key:
    a, b = table.models[table.a[row]], table.models[table.b[row]]
    return (table.prompts[table.prompt[row]] if table.prompt[row] >= 0 else "", min(a, b), max(a, b))


@dataclass
class _Pair:
    """One prompt and pair, from the side that stood left when people first saw it."""

    left: str
    counts: dict[int, int]  # votes by code of LABELS, in the order in which verdicts were first given
    lengths: tuple[float, float] | None  # of the left answer and of the right


def _by_pair(table: VoteTable, left: Mapping[Key, _Pair] | None = None) -> dict[Key, _Pair]:
    lengths = table.traits.get("length")
    found: dict[Key, _Pair] = {}
    for row in np.flatnonzero(table.used):
        a, b = table.models[table.a[row]], table.models[table.b[row]]
        if a == b:
            continue
        key = _key(table, row)
        if key not in found:
            seen = a if left is None or key not in left else left[key].left
            sides = None if lengths is None else (float(lengths[row][0]), float(lengths[row][1]))
            found[key] = _Pair(seen, {}, sides if sides is None or seen == a else sides[::-1])
        outcome = Outcome(int(table.outcome[row]))
        code = CODES[outcome if found[key].left == a else outcome.mirrored]
        found[key].counts[code] = found[key].counts.get(code, 0) + int(table.count[row])
    return found


def _mode(pair: _Pair) -> int:
    """The most frequent verdict; of equally frequent ones the one given first.

    "First mode" leaves the order open. The order of the file reproduces the published agreement of LLMFAO (.435);
    alphabetical order gives .457 and the last one .404, so that figure does not confirm this reading by itself.
    """
    return max(pair.counts, key=pair.counts.__getitem__)


def _is_contested(pair: _Pair) -> bool:
    most = max(pair.counts.values())
    return sum(count == most for count in pair.counts.values()) > 1


def _by_prompt(shared: Sequence[Key], own: Sequence[int], said: Sequence[int], level: float) -> Kappa | None:
    prompts = {name: code for code, name in enumerate(dict.fromkeys(key[0] for key in shared))}
    if len(prompts) < 2:
        return None
    tables = np.zeros((len(prompts), 3, 3))
    np.add.at(tables, ([prompts[key[0]] for key in shared], own, said), 1)
    return jackknife_kappa(tables, level=level)


def _length(
    pairs: Sequence[_Pair], own: Sequence[int], said: Sequence[int], level: float
) -> LengthReport | None:
    rows = [
        (OUTCOMES[judge], OUTCOMES[people], pair.lengths)
        for pair, people, judge in zip(pairs, own, said, strict=True)
        if pair.lengths is not None and np.isfinite(pair.lengths).all()
    ]
    if not rows:
        return None
    verdicts, people, sides = zip(*rows, strict=True)
    both = np.array(sides)
    return length_report(verdicts, both[:, 0], both[:, 1], people, level)


def _order(judge: VoteTable, level: float) -> OrderReport | None:
    """Verdicts on one prompt and pair in both orders; the first verdict of each order counts."""
    shown: dict[tuple[str, str, str], Outcome] = {}
    for row in np.flatnonzero(judge.used & judge.side_known & (judge.prompt >= 0)):
        key = (judge.prompts[judge.prompt[row]], judge.models[judge.a[row]], judge.models[judge.b[row]])
        shown.setdefault(key, Outcome(int(judge.outcome[row])))
    both = [key for key in shown if key[1] < key[2] and (key[0], key[2], key[1]) in shown]
    if not both:
        return None
    return order_report([shown[key] for key in both], [shown[key[0], key[2], key[1]] for key in both], level)


def section(found: JudgeReport) -> Section:
    """For people."""
    rows = [
        ("Pairs judged by both", f"{count(found.pairs)} ({count(found.votes)} votes of people; majority tied on {count(found.contested)})"),
        ("Agreement", _share(found.agreement)),
        ("Agreement where neither says tie", _share(found.agreement_decisive)),
        ("Cohen's kappa", _kappa(found.kappa)),
        ("  the same, prompts as clusters", DASH if found.kappa_by_prompt is None else _kappa(found.kappa_by_prompt)),
        ("People choose the left answer", _side(found.position_people)),
        ("The judge chooses the left answer", _side(found.position_judge)),
    ]  # fmt: skip
    if found.length is not None:
        rows.append(("The judge chooses the longer answer", _share(found.length.judge.share)))
        if found.length.people is not None and found.length.gap is not None:
            rows.append(("People choose the longer answer", _share(found.length.people.share)))
            rows.append(("Judge minus people, longer answer", _share(found.length.gap)))
    if found.order is not None:
        rows.append(("The judge keeps its verdict in the other order", _share(found.order.consistent)))
    counts = tuple(
        (f"people: {name}", *map(str, row)) for name, row in zip(found.labels, found.confusion, strict=True)
    )
    notes = [
        "People's verdict is the most frequent one on a prompt and pair; of equally frequent ones the one given first.",
        "a stood left, b right; both-bad counts as a tie. Wilson and asymptotic intervals take pairs as independent.",
    ]
    tables: list[Table] = [
        (("Question", "Answer"), (*rows, *_together(found))),
        (("", *(f"judge: {name}" for name in found.labels)), counts),
    ]
    if found.board is not None:
        tables.append((BOARD_COLUMNS, tuple(_line(row) for row in found.board.models)))
        notes.append(BOARD_NOTE)
    return Section("Judge beside people", tuple(tables), tuple(notes))


BOARD_COLUMNS = (
    "Model", "People: rank", "Rating", "95 % interval", "Judge: rank", "Rating", "95 % interval",
    "Judge minus people", "95 % interval", "P (BH)", "Rated",
)  # fmt: skip
BOARD_NOTE = (
    "Both boards are over the pairs that both judged, mean 1000 over the models on both. Judge minus people is on people's "
    "scale, the judge's ratings brought to their spread; P by Benjamini-Hochberg, over or under below 10 %; prompts taken as given."
)  # fmt: skip


def _together(found: JudgeReport) -> list[tuple[str, str]]:
    board = found.board
    if board is None:
        return [("Both boards", f"{DASH} ({found.board_why})")]
    over, under = (sum(row.verdict == word for row in board.models) for word in ("over", "under"))
    return [
        ("Pearson's r of the two boards", estimate(board.pearson, board.pearson_low, board.pearson_high, 3)),
        (
            "  the same, freed of noise",
            estimate(board.disattenuated, board.disattenuated_low, board.disattenuated_high, 3),
        ),
        ("Spearman, Kendall's tau-b", f"{number(board.spearman, 3)}, {number(board.kendall_tau_b, 3)}"),
        ("The judge's ratings lie further apart by", f"{number(board.spread, 2)} times"),
        ("Models over-rated, under-rated", f"{over}, {under} of {len(board.models)}"),
    ]


def _line(row: JudgedModel) -> tuple[str, ...]:
    return (
        row.model,
        str(row.people_rank), number(row.people_rating, 0), interval(row.people_low, row.people_high, 0),
        str(row.judge_rank), number(row.judge_rating, 0), interval(row.judge_low, row.judge_high, 0),
        number(row.difference, 0, sign=True), interval(row.low, row.high, 0, sign=True), p_value(row.p_adjusted),
        row.verdict or "",
    )  # fmt: skip


def _share(found: Interval) -> str:
    return estimate(found.value, found.low, found.high, 3)


def _kappa(found: Kappa) -> str:
    return f"{DASH} ({found.why})" if found.value is None else estimate(found.value, found.low, found.high, 3)


def _side(side: PositionBias) -> str:
    if side.left_share is None:
        return "no decisive vote with known sides"
    return estimate(side.left_share, side.low, side.high, 3)
