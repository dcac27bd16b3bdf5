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
from ratings.tables import Sheet

SHOWN = 15  # rows of a table; JSON has all


def sheet(found: Diagnosis) -> Sheet:
    """The diagnosis for people."""
    graph, side = found.connectivity, found.position
    summary = [
        ("Models on one scale", f"{graph.board} of {graph.models}"),
        ("Pairs that met", f"{graph.pairs_observed:,} of {graph.pairs:,}"),
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
    tables: list[tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]] = [
        (("Question", "Answer"), tuple(summary))
    ]
    if found.held_out is not None:
        rows = tuple(
            (loss.name, f"{loss.log_loss:.4f}", f"{loss.brier:.4f}", _gain(loss))
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
            (one.model, f"{one.effect:+.1f}", "–" if one.low is None else f"{one.low:+.1f} … {one.high:+.1f}")
            for one in sorted(found.style_effects.models, key=lambda one: (-abs(one.effect), one.model))[
                :SHOWN
            ]
        )
        tables.append((("Model", "With minus without style control (Elo)", "95 % interval"), effects))
    if found.misfits:
        shown = tuple(
            (f"{row.a} − {row.b}", f"{row.observed:.1%}", f"{row.expected:.1%}", str(row.votes), f"{row.p_adjusted:.3f}")
            for row in found.misfits[:SHOWN]
        )  # fmt: skip
        tables.append((("Pair", "Observed", "Expected", "Votes", "P (adjusted)"), shown))
    return Sheet("Diagnosis", tuple(tables), found.notes)


def _gain(loss: Loss) -> str:
    if loss.gain_low is None or loss.gain_high is None:
        return "–"
    return f"{loss.gain:+.4f} [{loss.gain_low:+.4f}, {loss.gain_high:+.4f}]"


def _outcomes(found: OutcomeShares | None) -> str:
    return (
        "–"
        if found is None
        else f"{found.tie:.1%} ties, {found.both_bad:.1%} both bad of {found.votes:,} votes"
    )


def _side(side: PositionBias, *, is_drawn: bool) -> str:
    if side.left_share is None or side.p is None:
        return "no decisive vote with known sides"
    flag = ": the side matters" if side.flagged and is_drawn else ""
    return f"{side.left_share:.1%} of {side.decisive:,} decisive votes [{side.low:.1%}, {side.high:.1%}], P {side.p:.4g}{flag}"


def _term(term: Coefficient | None) -> str:
    if term is None or term.elo is None:
        return "–"
    if term.low is None or term.high is None or not term.value:
        return f"{term.elo:+.1f} Elo for the left"
    points = term.elo / term.value
    return f"{term.elo:+.1f} Elo for the left [{term.low * points:+.1f}, {term.high * points:+.1f}]"


def _misfits(found: Diagnosis) -> str:
    if not found.pairs_tested:
        return "not tested: no pair has votes enough"
    return f"{len(found.misfits)} of {found.pairs_tested:,} tested (false discoveries below 10 %)"


def _drifted(found: Drift | None) -> str:
    if found is None:
        return "–"
    if not found.tested:
        return f"not tested: no model has votes enough in two {found.unit}s"
    names = ", ".join(model.model for model in listed(found)) or "none"
    left_out = f"; {found.without_time:,} votes have no time" if found.without_time else ""
    return f"{names}, of {found.tested} models tested over {len(found.starts)} {found.unit}s (Holm, below 5 %){left_out}"


def _drift_rows(found: Drift) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (
            model.model,
            "; ".join(
                f"{datetime.fromtimestamp(one.start, UTC):%Y-%m-%d} {one.rating:.0f} [{one.low:.0f}, {one.high:.0f}]"
                for one in model.periods
            ),
            f"{model.p:.4f}",
            f"{model.p_adjusted:.4f}",
        )
        for model in found.models[:SHOWN]
    )


def _flip(flip: Flip | None) -> str:
    if flip is None:
        return "–"
    return (
        f"{flip.votes_dropped:,} of {flip.votes:,} votes ({flip.share:.3%}) dropped put {flip.challenger} above "
        f"{flip.leader}"
    )
