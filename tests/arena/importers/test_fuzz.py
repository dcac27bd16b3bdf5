"""Whatever the file, nothing comes out but the project's own errors, and the account adds up."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.importers import read
from tests.arena.importers.samples import SAMPLES
from tests.bench.fuzz_importers import check, placed

FAST = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.slow
@FAST
@given(rng=st.randoms(use_true_random=False))
def test_files_that_are_nearly_vote_files(tmp_path: Path, rng: random.Random) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", None)  # put back what `placed` sets
        check(placed(rng, tmp_path / "votes"), rng)


@pytest.mark.slow
@FAST
@given(
    content=st.binary(max_size=300),
    start=st.sampled_from([b"", b"[", b"{", b"model_a,model_b,winner\n", b"PAR1", b"\x1f\x8b", b"\xff\xfe"]),
)
def test_files_of_anything(tmp_path: Path, content: bytes, start: bytes) -> None:
    path = tmp_path / "votes"
    path.write_bytes(start + content)

    check(path, random.Random(7))


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = sorted(
    {
        key
        for sample in SAMPLES.values()
        for key in sample.content.decode("utf-8", "ignore").replace('"', ",").split(",")
        if key.isidentifier()
    }
)


@pytest.mark.slow
@FAST
@given(
    records=st.lists(
        st.dictionaries(st.sampled_from(KEYS), VALUES, min_size=1, max_size=8), min_size=1, max_size=3
    )
)
def test_tables_of_any_types(tmp_path: Path, records: list[dict[str, Any]]) -> None:
    path = tmp_path / "votes.parquet"
    try:
        pq.write_table(
            pa.Table.from_pylist(
                [{"model_a": "rook", "model_b": "teal", "winner": "tie", **each} for each in records]
            ),
            path,
        )
    except (pa.ArrowException, ValueError, OverflowError, TypeError, UnicodeEncodeError):
        return  # no such table can be written

    try:
        tally = read([path], skip_bad=True).tally
    except ArenaError:
        return
    assert tally.read == tally.accepted + tally.rejected_count + tally.duplicates + sum(
        tally.not_votes.values()
    )
