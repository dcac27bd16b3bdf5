"""Who a visitor is without knowing who he is: keyed hashes. And whether a session chose as everybody does."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

VISITOR_BYTES = 12  # 96 bits: no two of a billion visitors share one
LEVEL = 0.05  # of a whole list of voters, divided by their number (Bonferroni)
DRAWS = 20_000
# 192.0.2.7:1234, [2001:db8::7]:1234 or [2001:db8::7]; a bare IPv6 address has colons of its own
_WITH_PORT = re.compile(r"([0-9.]+):[0-9]{1,5}|\[([^\]]*)\](?::[0-9]{1,5})?")


def visitor_hash(secret: str, cookie: str) -> str:
    """The lasting name of a visitor: a keyed hash of his random cookie id. The cookie itself is never stored."""
    return _keyed(secret, "visitor", cookie)


def address_hash(secret: str, address: str, day: str) -> str:
    """A name of a network for one day only: keyed hash of its /24 (IPv4) or /64 (IPv6) under a key that rotates."""
    return _keyed(secret, f"address {day}", address_prefix(address))


def address_prefix(address: str) -> str:
    """The network that one household or office shares: /24 or /64. All unreadable addresses are one network."""
    parsed = peer(address)
    if parsed is None:
        return "unknown"
    bits = 24 if parsed.version == 4 else 64
    return str(ipaddress.ip_network((parsed.packed, bits), strict=False))


def peer(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address as proxies write it, with or without brackets, port or zone; None when it is none."""
    found = _WITH_PORT.fullmatch(address.strip())
    bare = next(filter(None, found.groups()), "") if found else address.strip()
    try:
        parsed = ipaddress.ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        return parsed.ipv4_mapped
    return parsed


def likelihood_p(
    outcome_p: npt.NDArray[np.float64],
    chosen: npt.NDArray[np.intp],
    rng: np.random.Generator,
    draws: int = DRAWS,
) -> float:
    """P value of one session's choices, if it chose as everybody does.

        S = -2 sum_i log outcome_p[i, chosen[i]],   P = (1 + #{S* >= S}) / (1 + draws)

    outcome_p: (n, k), the probability of each of k outcomes of each vote, from a fit without these votes; rows add
    up to 1. chosen: (n,) which one it was. S* are sessions drawn from `outcome_p` (Min et al. 2025,
    arXiv 2501.17858). Small when the session prefers what others do not; a near tie hides it, so ask for 20 votes.
    """
    if not len(chosen):
        return 1.0
    if np.any(outcome_p < 0) or not np.allclose(outcome_p.sum(axis=1), 1.0):
        raise ValueError("each row of outcome_p must hold probabilities that add up to 1")
    n, k = outcome_p.shape
    with np.errstate(divide="ignore"):
        cost = -2 * np.log(outcome_p)  # (n, k); an impossible choice costs infinitely much
    seen = cost[np.arange(n), chosen].sum()
    ends = np.cumsum(outcome_p, axis=1)[:, : k - 1]
    # Vote by vote, so that memory is of the order of `draws`, however long the session.
    simulated = np.zeros(draws)
    for place in range(n):
        simulated += cost[place, np.searchsorted(ends[place], rng.random(draws), side="right")]
    # Sums of the same terms in another order differ in their last digits.
    return float((1 + np.sum(simulated >= seen - 1e-9 * abs(seen))) / (1 + draws))


def flagged(p_values: Mapping[str, float], level: float = LEVEL) -> list[str]:
    """Sessions whose P value is below the level divided by the number of sessions (Bonferroni)."""
    return [voter for voter, p in sorted(p_values.items()) if p < level / len(p_values)]


def _keyed(secret: str, purpose: str, value: str) -> str:
    # One key for each purpose, so that hashes of different purposes cannot be matched.
    key = hashlib.sha256(f"{purpose}\0{secret}".encode()).digest()
    return hmac.new(key, value.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[
        : 2 * VISITOR_BYTES
    ]
