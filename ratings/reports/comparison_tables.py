"""Comparisons and plans of votes as tables."""

from __future__ import annotations

from collections.abc import Sequence

from ratings.diagnostics import differences, sample_size
from ratings.tables import Section, count, interval, number, p_value, percent, percent_interval

TEST = "P is two-sided and belongs to the interval: below .05 just where the 95 % interval of the gap leaves out 0"


def comparison_section(found: Sequence[differences.Gap]) -> Section:
    rows = [
        (
            f"{gap.a} − {gap.b}",
            number(gap.gap, sign=True),
            interval(gap.low, gap.high, sign=True),
            percent(gap.win_probability),
            percent_interval(gap.win_low, gap.win_high),
            p_value(gap.p),
            p_value(gap.p_adjusted),
            count(gap.effective_voters),
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
    return Section("Comparison", ((columns, tuple(rows)),), (f"{TEST}{note}.",))


def planning_section(found: sample_size.VotePlan, simulated: float | None) -> Section:
    more = "not in practice" if found.more_votes is None else count(found.more_votes)
    rows = [
        (
            "Gap now (Elo)",
            f"{number(found.gap, sign=True)} (se {number(found.se)}, {count(found.effective_voters)} effective voters)",
        ),
        ("Votes now", f"{count(found.votes_now)} (power {number(found.power_now, 2)})"),
        (f"More votes for power {number(found.power, 2)} at alpha {found.alpha:.4g}", more),
    ]
    if simulated is not None:
        rows.append(("Power in simulated futures", number(simulated, 2)))
    return Section(
        f"Votes to tell {found.a} and {found.b} apart",
        ((("Question", "Answer"), tuple(rows)),),
        (found.assumption,),
    )
