"""Model names at the door: kept as written up to NFC and outer space; what cannot be seen is refused or named."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from typing import Any

from arena.importers.values.values import Reject, broken_character, is_missing

LONGEST_NAME = 256
SHOWN_AT_MOST = 20
UNSEEN = frozenset("\u200b\u2060\ufeff\u00ad\u180e")  # zero width, seen by nobody: taken out with a warning
JOINERS = frozenset("\u200c\u200d")  # needed inside some scripts and emoji, unseen beside ASCII
BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass
class Names:
    """Cleans model names and remembers what was done to which."""

    cleaned: dict[str, str | Reject] = field(default_factory=dict)  # as written -> as kept

    def read(self, value: Any, column: str) -> str:
        """The name as kept; `Reject` for no name, no text, or characters that no name may hold."""
        if is_missing(value):
            raise Reject(column, None, "a model name is missing")
        if not isinstance(value, str):
            raise Reject(column, value, "a model name must be text")
        found = self.cleaned.get(value)
        if found is None:
            found = self.cleaned[value] = clean(value)
        if isinstance(found, Reject):
            raise Reject(column, found.value, found.reason)
        return found

    def changes(self) -> tuple[str, ...]:
        """One line for each name that is not kept as it was written."""
        told = sorted(
            _told(raw, name) for raw, name in self.cleaned.items() if isinstance(name, str) and raw != name
        )
        hidden = len(told) - SHOWN_AT_MOST
        return (*told[:SHOWN_AT_MOST], *([f"... and {hidden} more names changed"] if hidden > 0 else []))


def clean(raw: str) -> str | Reject:
    """`raw` in NFC without unseen characters and outer space, or the refusal."""
    if raw.isascii() and raw.isprintable() and raw == raw.strip(" ") and 0 < len(raw) <= LONGEST_NAME:
        return raw
    fault = next((why for character in raw if (why := _fault(character))), None)
    if fault:
        return Reject(None, raw, fault)
    seen = unicodedata.normalize("NFC", _without_unseen(raw)).strip()
    if not seen:
        return Reject(None, raw, "a model name is missing (only space stands here)")
    if len(seen) > LONGEST_NAME:
        return Reject(None, raw, f"a model name may have {LONGEST_NAME} characters, this has {len(seen)}")
    return seen


def _fault(character: str) -> str | None:
    category = unicodedata.category(character)
    point = point_name(character)
    if character in BIDI:
        return f"a bidirectional control ({point}) is not allowed in a model name"
    if category in ("Cc", "Zl", "Zp"):
        return f"a control character ({point}) is not allowed in a model name"
    if category == "Cs":
        return broken_character(character)
    if character == "\ufffd" or ord(character) & 0xFFFE == 0xFFFE:
        return f"{point} stands where a character was lost; repair the file"
    if category == "Cf" and character not in UNSEEN and character not in JOINERS:
        return f"an unseen format character ({point}) is not allowed in a model name"
    return None


def _without_unseen(raw: str) -> str:
    kept = [
        character
        for index, character in enumerate(raw)
        if character not in UNSEEN and not (character in JOINERS and _beside_ascii(raw, index))
    ]
    return "".join(kept)


def _beside_ascii(raw: str, index: int) -> bool:
    """Does a joiner stand at an end of the name or next to ASCII, where it joins nothing?"""
    before, after = raw[index - 1 : index], raw[index + 1 : index + 2]
    return not before or not after or before.isascii() or after.isascii()


def _told(raw: str, name: str) -> str:
    unseen = [character for character in raw if character in UNSEEN or character in JOINERS]
    dropped = sorted({point_name(character) for character in unseen if character not in name})
    why = f"without {', '.join(dropped)}" if dropped else "without outer space"
    if not dropped and unicodedata.normalize("NFC", raw) == name:
        why = "in composed form (NFC)"
    return f"model name {raw!a} is kept as {name!r}, {why}"


def point_name(character: str) -> str:
    """`U+0435 CYRILLIC SMALL LETTER IE`."""
    named = unicodedata.name(character, "")
    return f"U+{ord(character):04X} {named}".rstrip()
