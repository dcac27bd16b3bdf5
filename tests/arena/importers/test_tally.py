"""The account of a reading: sums that add up, reasons with examples, and what stands behind an error."""

from __future__ import annotations

import pytest

from arena.importers import RowsRejected, read
from arena.importers.rules.tally import KEPT_PROBLEMS
from tests.arena.importers.conftest import Write

HEADER = "battle_id,model_a,model_b,winner,mood\n"


def test_the_lines_say_all_of_it(write: Write) -> None:
    rows = "1,rook,teal,tie,x\n1,rook,teal,tie,x\n2,rook,rook,tie,x\n3,rook,teal,skip,x\n2,rook,rook,model_a,x\n4,rook,,tie,x\n"
    path = write(HEADER + rows)

    lines = list(read([path], skip_bad=True, outcomes={"skip": "not_a_vote"}).tally.lines())

    assert lines == [
        "format generic: by its columns model_a, model_b, winner",
        "read 6 = accepted 2 + rejected 1 + duplicates 2 + not votes 1",
        "excluded, self_battle: 1",
        "not a vote, not_a_vote: 1",
        f"  for example {path}, row 4 (line 5): not_a_vote",
        "duplicates: 1 equal, 1 in conflict",
        f"  {path}, row 5 (line 6): '2': this vote id came before in row 3 with another outcome; the first is kept",
        "columns ignored: mood",
    ]


def test_each_reason_has_at_most_three_examples(write: Write) -> None:
    path = write(HEADER + "".join(f"{i},rook,teal,skip,\n" for i in range(9)))

    tally = read([path], outcomes={"skip": "not_a_vote"}).tally

    assert tally.not_votes == {"not_a_vote": 9}
    assert [example.row for example in tally.examples] == [1, 2, 3]


def test_many_problems_are_counted_and_the_first_described(write: Write) -> None:
    path = write(HEADER + "".join(f"{i},rook,teal,never,\n" for i in range(KEPT_PROBLEMS + 500)))

    with pytest.raises(RowsRejected, match=r"1,500 of 1,500 votes") as caught:
        read([path])

    assert len(caught.value.problems) == KEPT_PROBLEMS
    assert caught.value.tally.rejected_count == KEPT_PROBLEMS + 500


def test_several_formats_are_named_together(write: Write) -> None:
    one = write("model_a,model_b,winner\nrook,teal,tie\n", "one.csv")
    two = write("left,right,winner\nrook,teal,tie\n", "two.csv")

    tally = read([one, two]).tally

    assert tally.format == "generic + llmfao"
    assert tally.accepted == 2
