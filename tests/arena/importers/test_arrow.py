"""Arrow arrays made without `pa.array` are those that it makes, and reading votes loads no pandas."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.importers.rules.duplicates import hashes_of
from arena.importers.values import arrow

TEXTS = st.lists(st.none() | st.text(max_size=90), max_size=20)


@pytest.mark.slow
@given(TEXTS)
def test_texts_are_those_of_arrow(values):
    made = arrow.strings(values)

    made.validate(full=True)
    assert made.equals(pa.array(values, pa.string()))


@pytest.mark.slow
@given(st.lists(st.booleans(), max_size=40), st.integers(0, 9))
def test_flags_survive_both_ways(values, start):
    made = arrow.mask(np.array(values, dtype=np.bool_))

    assert made.to_pylist() == values
    assert arrow.flags_of(made[start:]).tolist() == values[start:]


@pytest.mark.slow
@given(st.lists(st.none() | st.booleans(), max_size=40), st.integers(0, 9))
def test_a_missing_flag_is_no(values, start):
    column = pa.array(values, pa.bool_())[start:]

    assert arrow.flags_of(column).tolist() == [bool(value) for value in values[start:]]
    assert arrow.is_valid(column).tolist() == [value is not None for value in values[start:]]


@pytest.mark.slow
@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), max_size=40), st.integers(0, 9))
def test_whole_numbers_are_exact_beside_missing_ones(values, start):
    column = pa.array(values, pa.int64())[start:]

    assert arrow.numbers_of(column, -7).tolist() == [
        -7 if value is None else value for value in values[start:]
    ]


def test_half_a_surrogate_pair_is_refused():
    with pytest.raises(UnicodeEncodeError):
        arrow.strings(["a\ud800"])


@pytest.mark.slow
@given(st.lists(st.text(max_size=90), max_size=20), st.integers(0, 9))
def test_equal_ids_have_equal_hashes_wherever_they_stand(values, start):
    alone = [hashes_of(arrow.strings([value]))[0] for value in values]

    assert hashes_of(arrow.strings(values)).tolist() == alone
    assert hashes_of(arrow.strings(values)[start:]).tolist() == alone[start:]


def test_ids_of_one_pattern_hardly_share_a_hash():
    ids = [f"vote-{number:07d}-abcdef" for number in range(50_000)] + [
        str(number) for number in range(50_000)
    ]

    assert len(np.unique(hashes_of(arrow.strings(ids)))) == len(ids)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["votes.csv", "quoted.csv", "votes.jsonl"])
def test_reading_votes_loads_no_pandas(tmp_path: Path, name):
    text = {
        "votes.csv": "battle_id,model_a,model_b,winner,tstamp\n1,rook,teal,tie,2024-01-02 03:04:05\n1,rook,teal,tie,\n",
        "quoted.csv": 'battle_id,model_a,model_b,winner,prompt\n1,rook,teal,tie,"two\nlines"\n',
        "votes.jsonl": '{"question_id": 1, "model_a": "rook", "model_b": "teal", "winner": "tie", "anony": true}\n',
    }[name]
    (tmp_path / name).write_text(text)
    code = "import sys; from arena.importers import read; read([sys.argv[1]]); assert 'pandas' not in sys.modules"

    subprocess.run([sys.executable, "-c", code, str(tmp_path / name)], check=True)
