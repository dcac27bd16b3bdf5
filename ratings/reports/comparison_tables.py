"""Comparisons and plans of votes as tables."""

from __future__ import annotations

from collections.abc import Sequence

from ratings.diagnostics import differences, sample_size
from ratings.tables import Sheet

TEST = "P is two-sided and belongs to the interval: below .05 just where the 95 % interval of the gap leaves out 0"


def gaps_sheet(found: Sequence[differences.Gap]) -> Sheet:
    rows = [
        (
            f"{gap.a} − {gap.b}",
            number(gap.gap, "{:+.1f}"),
            interval(gap.low, gap.high, "{:+.1f}"),
            number(gap.win_probability, "{:.1%}"),
            interval(gap.win_low, gap.win_high, "{:.1%}"),
            number(gap.p, "{:.4f}"),
            number(gap.p_adjusted, "{:.4f}"),
            number(gap.effective_voters, "{:.0f}"),
            f"{gap.wins}–{gap.losses}–{gap.ties + gap.both_bad}",
            gap.why or "",
        )
        for gap in found
    ]
    columns = (
        "Pair", "Gap (Elo)", "95 % interval", "A wins", "95 % interval", "P", "P (Holm)", "Eff. voters",
        "Won–lost–tied", "Remark",
    )  # fmt: skip
    tested = sum(gap.p is not None for gap in found)
    note = f"; Holm's correction is for the {tested} pairs tested" if tested > 1 else ""
    return Sheet("Comparison", ((columns, tuple(rows)),), (f"{TEST}{note}.",))


def planning_sheet(found: sample_size.VotePlan, simulated: float | None) -> Sheet:
    more = "not in practice" if found.more_votes is None else f"{found.more_votes:,}"
    rows = [
        (
            "Gap now (Elo)",
            f"{found.gap:+.1f} (se {found.se:.1f}, {found.effective_voters:.0f} effective voters)",
        ),
        ("Votes now", f"{found.votes_now:,} (power {found.power_now:.2f})"),
        (f"More votes for power {found.power:.2f} at alpha {found.alpha:.4g}", more),
    ]
    if simulated is not None:
        rows.append(("Power in simulated futures", f"{simulated:.2f}"))
    return Sheet(
        f"Votes to tell {found.a} and {found.b} apart",
        ((("Question", "Answer"), tuple(rows)),),
        (found.assumption,),
    )


def number(value: float | None, form: str) -> str:
    """`value` in `form`, a dash when it is not known."""
    return "–" if value is None else form.format(value)


def interval(low: float | None, high: float | None, form: str) -> str:
    return "–" if low is None or high is None else f"{form.format(low)} … {form.format(high)}"
