"""Names for voters and battles in what leaves the house: they hold for one set of votes and lead nowhere else.

A pseudonym is a keyed hash of the voter under the service's secret and the hash of the very votes it stands in, voters left out. The
same votes give the same names, other votes others: whoever knows one vote of a person finds that person's votes in that one set, not
in the next one.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from arena.archive.partitions import content_hash
from arena.votes import UNKNOWN, VoteTable

LETTERS = 24  # 96 bits, as a visitor's hash


def rounded(votes: VoteTable, seconds: int) -> VoteTable:
    """`votes` with times cut to whole multiples of `seconds`; 0 leaves them."""
    return replace(votes, at=np.floor(votes.at / seconds) * seconds) if seconds else votes


def key(votes: VoteTable) -> str:
    """The hash of these votes without their voters."""
    nobody = np.full(len(votes), UNKNOWN, dtype=np.int32)
    return content_hash(replace(votes, voters=(), voter=nobody))


def published(votes: VoteTable, secret: str, seconds: int) -> VoteTable:
    """`votes` as they leave the house: times cut to `seconds`, voters under pseudonyms, in the order of these."""
    votes = rounded(votes, seconds)
    salt = key(votes)
    names = [pseudonym(secret, salt, voter) for voter in votes.voters]
    order = sorted(range(len(names)), key=names.__getitem__)
    lookup = np.full(len(names) + 1, UNKNOWN, dtype=np.int32)
    lookup[order] = np.arange(len(order), dtype=np.int32)
    return replace(votes, voters=tuple(names[place] for place in order), voter=lookup[votes.voter])


def pseudonym(secret: str, salt: str, voter: str) -> str:
    """The name of `voter` among the votes with the key `salt`."""
    return _keyed(secret, f"voter\0{salt}", voter)


def battles(own: pa.Table, secret: str, salt: str) -> pa.Table:
    """The columns of own votes with ids of battles that nobody who was in one knows again."""
    place = own.column_names.index("battle")
    ids = [
        None if name is None else _keyed(secret, f"battle\0{salt}", name)
        for name in own["battle"].to_pylist()
    ]
    return own.set_column(place, "battle", pa.array(ids, pa.string()))


def who(secret: str, salt: str, voters: Sequence[str], name: str) -> str | None:
    """The voter whose pseudonym under `salt` is `name`; None when it is nobody's."""
    return next((voter for voter in voters if pseudonym(secret, salt, voter) == name), None)


def _keyed(secret: str, purpose: str, value: str) -> str:
    inner = hashlib.sha256(f"pseudonym\0{purpose}\0{secret}".encode()).digest()
    return hmac.new(inner, value.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:LETTERS]
