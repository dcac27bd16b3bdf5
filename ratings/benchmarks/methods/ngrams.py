"""Text as tokens for overlap: any script, compatible forms and case folded, scripts without spaces by character."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache

# Scripts written without spaces between words; each character is a token. Hangul has spaces, but few syllables make a
# sentence, so it counts by syllable as the other two of Chinese, Japanese and Korean do.
BY_CHARACTER = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u0f00-\u0fff"  # Tibetan
    "\u1000-\u109f\u1780-\u17ff"  # Myanmar, Khmer
    "\u1100-\u11ff\uac00-\ud7ff"  # Hangul
    "\u3005-\u3007\u3021-\u3029\u3038-\u303b"  # ideographic marks and numerals
    "\u3040-\u312f\u31a0-\u31bf\u31f0-\u31ff"  # Hiragana, Katakana, Bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"  # Kana supplement, rare Han
)
PLAIN = re.compile(r"[a-z0-9]+")


def tokens(text: str) -> list[str]:
    """The words and numbers of `text`, folded: NFKC, lower case without variants, no invisible characters.

    Punctuation, underscores and spacing do not matter. A word keeps its accents and vowel signs; in scripts without spaces each
    character (with its marks) is a token, so that a copied sentence is long enough to be seen.
    """
    if text.isascii():
        return PLAIN.findall(text.lower())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    found: list[str] = _pattern().findall(_invisible().sub("", folded))
    return found


def ngrams(words: list[str], n: int) -> set[tuple[str, ...]]:
    """The distinct runs of n tokens; none when there are fewer."""
    return set(zip(*(words[start:] for start in range(n)), strict=False))


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    marks = _category_ranges("M")
    return re.compile(rf"[{BY_CHARACTER}](?<=\w)[{marks}]*|(?:(?![{BY_CHARACTER}])[^\W_][{marks}]*)+")


@lru_cache(maxsize=1)
def _invisible() -> re.Pattern[str]:
    """Format characters: soft hyphen, zero-width space and joiners, directions."""
    return re.compile(f"[{_category_ranges('Cf')}]")


def _category_ranges(category: str) -> str:
    """A regular expression's character ranges of a Unicode category ("M": all marks)."""
    ranges: list[list[int]] = []
    for code in range(sys.maxunicode + 1):
        if not unicodedata.category(chr(code)).startswith(category):
            continue
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges)
