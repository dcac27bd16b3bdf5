"""The diagnosis of a board for people: its answers as tables."""

from __future__ import annotations

from datetime import UTC, datetime

from ratings.design.sides import NOT_DRAWN, SORTED_TABLE
from ratings.diagnostics.diagnosis import Diagnosis
from ratings.diagnostics.drift import Drift, listed
from ratings.diagnostics.held_out import Loss
from ratings.diagnostics.position import OutcomeShares, PositionBias
from ratings.diagnostics.robustness import Flip
from ratings.leaderboard import Coefficient
from ratings.tables import (
    DASH,
    Rows,
    Section,
    Table,
    count,
    estimate,
    interval,
    number,
    p_value,
    percent,
    percent_estimate,
)

SHOWN = 15  # rows of a table; JSON has all


def section(found: Diagnosis) -> Section:
    """The diagnosis for people."""
    graph, side = found.connectivity, found.position
    summary = [
        ("Models on one scale", f"{graph.board} of {graph.models}"),
        ("Pairs that met", f"{count(graph.pairs_observed)} of {count(graph.pairs)}"),
        ("Separated", ", ".join(graph.separated) or "none"),
        ("Islands", "; ".join(", ".join(models) for models in graph.islands) or "none"),
        ("Ties and both bad", _outcomes(found.outcomes)),
        (
            "Left side wins",
            "not known: the table lists winners (or losers) first"
            if SORTED_TABLE in found.notes
            else _side(side, is_drawn=NOT_DRAWN not in found.notes),
        ),
        ("Side term", _term(found.side_term)),
        ("Rank 1", _flip(found.rank_one)),
        ("Drift over time", _drifted(found.drift)),
        ("Tiers", f"{len(found.tiers)}"),
        ("Pairs off the scale", _misfits(found)),
    ]
    tables: list[Table] = [(("Question", "Answer"), tuple(summary))]
    if found.held_out is not None:
        rows = tuple(
            (loss.name, number(loss.log_loss, 4), number(loss.brier, 4), _gain(loss))
            for loss in found.held_out.losses
        )  # fmt: skip
        tables.append((("Prediction of unseen votes", "Log loss", "Brier", "Better than a coin by"), rows))
    in_tiers = tuple((str(tier.tier), ", ".join(tier.models)) for tier in found.tiers[:SHOWN])
    tables.append((("Tier", "Models that the votes cannot tell from its first"), in_tiers))
    if found.drift is not None and found.drift.models:
        columns = ("Model", f"Rating by {found.drift.unit} [95 % interval]", "P", "P (Holm)")
        tables.append((columns, _drift_rows(found.drift)))
    if found.style_effects is not None:
        effects = tuple(
            (one.model, number(one.effect, sign=True), interval(one.low, one.high, sign=True))
            for one in sorted(found.style_effects.models, key=lambda one: (-abs(one.effect), one.model))[
                :SHOWN
            ]
        )
        tables.append((("Model", "With minus without style control (Elo)", "95 % interval"), effects))
    if found.misfits:
        shown = tuple(
            (f"{row.a} − {row.b}", percent(row.observed), percent(row.expected), count(row.votes), p_value(row.p_adjusted))
            for row in found.misfits[:SHOWN]
        )  # fmt: skip
        tables.append((("Pair", "Observed", "Expected", "Votes", "P (adjusted)"), shown))
    return Section("Diagnosis", tuple(tables), found.notes)


def _gain(loss: Loss) -> str:
    if loss.gain_low is None or loss.gain_high is None:
        return DASH
    return estimate(loss.gain, loss.gain_low, loss.gain_high, 4, sign=True)


def _outcomes(found: OutcomeShares | None) -> str:
    if found is None:
        return DASH
    return f"{percent(found.tie)} ties, {percent(found.both_bad)} both bad of {count(found.votes)} votes"


def _side(side: PositionBias, *, is_drawn: bool) -> str:
    if side.left_share is None or side.p is None:
        return "no decisive vote with known sides"
    flag = ": the side matters" if side.flagged and is_drawn else ""
    share = percent_estimate(side.left_share, side.low, side.high)
    return f"{share} of {count(side.decisive)} decisive votes, P {p_value(side.p)}{flag}"


def _term(term: Coefficient | None) -> str:
    if term is None or term.elo is None:
        return DASH
    low, high = (
        None if end is None or not term.value else end * term.elo / term.value
        for end in (term.low, term.high)
    )
    return f"{estimate(term.elo, low, high, sign=True)} Elo for the left"


def _misfits(found: Diagnosis) -> str:
    if not found.pairs_tested:
        return "not tested: no pair has votes enough"
    return f"{len(found.misfits)} of {found.pairs_tested:,} tested (false discoveries below 10 %)"


def _drifted(found: Drift | None) -> str:
    if found is None:
        return DASH
    if not found.tested:
        return f"not tested: no model has votes enough in two {found.unit}s"
    names = ", ".join(model.model for model in listed(found)) or "none"
    left_out = f"; {found.without_time:,} votes have no time" if found.without_time else ""
    return f"{names}, of {found.tested} models tested over {len(found.starts)} {found.unit}s (Holm, below 5 %){left_out}"


def _drift_rows(found: Drift) -> Rows:
    return tuple(
        (
            model.model,
            "; ".join(
                f"{datetime.fromtimestamp(one.start, UTC):%Y-%m-%d} {estimate(one.rating, one.low, one.high, 0)}"
                for one in model.periods
            ),
            p_value(model.p),
            p_value(model.p_adjusted),
        )
        for model in found.models[:SHOWN]
    )


def _flip(flip: Flip | None) -> str:
    if flip is None:
        return DASH
    votes = f"{count(flip.votes_dropped)} of {count(flip.votes)} votes ({percent(flip.share, 3)})"
    return f"{votes} dropped put {flip.challenger} above {flip.leader}"
