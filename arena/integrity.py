"""Who a visitor is without knowing who he is: keyed hashes. And what gives a dishonest session away."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress

VISITOR_BYTES = 12  # 96 bits: no two of a billion visitors share one


def visitor_hash(secret: str, cookie: str) -> str:
    """The lasting name of a visitor: a keyed hash of his random cookie id. The cookie itself is never stored."""
    return _keyed(secret, "visitor", cookie)


def address_hash(secret: str, address: str, day: str) -> str:
    """A name of a network for one day only: keyed hash of its /24 (IPv4) or /64 (IPv6) under a key that rotates."""
    return _keyed(secret, f"address {day}", address_prefix(address))


def address_prefix(address: str) -> str:
    """The network that one household or office shares: /24 or /64. An unreadable address is a network of its own."""
    try:
        parsed = ipaddress.ip_address(address.strip())
    except ValueError:
        return "unknown"
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    bits = 24 if parsed.version == 4 else 64
    return str(ipaddress.ip_network((parsed.packed, bits), strict=False))


def _keyed(secret: str, purpose: str, value: str) -> str:
    # One key for each purpose, so that hashes of different purposes cannot be matched.
    key = hashlib.sha256(f"{purpose}\0{secret}".encode()).digest()
    return hmac.new(key, value.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[
        : 2 * VISITOR_BYTES
    ]
