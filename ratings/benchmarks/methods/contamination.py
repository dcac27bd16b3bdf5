"""Leaks: how much of each benchmark item (and of its known answer) occurs word for word in a body of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ratings.benchmarks.audit.rules import added_text
from ratings.benchmarks.methods.ngrams import ngrams, tokens
from ratings.stats.arguments import BadNumber, rows, share, whole
from ratings.stats.arguments import text as checked_text

WORDS = 13  # Brown et al. 2020 (GPT-3) and most since
THRESHOLD = 0.2
SOURCES_SHOWN = 3

Flag = Literal["CONTAMINATED?", "clean", "too short"]


@dataclass(frozen=True)
class Overlap:
    """How much of one item is in the corpus. `fraction` is None for an item of fewer than n tokens: it cannot be judged."""

    item: str
    fraction: float | None
    matched: int  # distinct n-grams found
    grams: int  # distinct n-grams of the item
    flag: Flag
    sources: tuple[str, ...]  # documents that share an n-gram, by name, the first three
    source_count: int
    best: str | None  # the document that shares most (first by name of equals)
    best_fraction: float | None

    @property
    def exact(self) -> str | None:
        """The fraction as counted, "8/18"."""
        return None if self.fraction is None else f"{self.matched}/{self.grams}"


class Index:
    """The n-grams of a body of text, and in which documents each occurs.

    Tokens fold case, spacing and compatible forms (`words.tokens`). An n-gram is kept as its 64-bit hash: of ten thousand million lookups
    less than one is expected to hit by chance.
    """

    def __init__(self, documents: Mapping[str, str] | Sequence[tuple[str, str]], n: int = WORDS) -> None:
        self.n = whole("n", n, 1, 1000)
        self.documents: list[str] = []
        self._places: dict[int, list[int]] = {}
        self._all_words: dict[tuple[str, ...], int] = {}
        pairs = documents.items() if isinstance(documents, Mapping) else rows("documents", documents)
        for pair in pairs:
            if len(rows("document", pair)) != 2:
                raise BadNumber("a document is a name and a text")
            self.add(*pair)

    def add(self, name: str, text: str) -> None:
        """One more document."""
        number = len(self.documents)
        self.documents.append(name)
        words = tokens(checked_text(name, text))
        self._all_words.setdefault(tuple(words), number)
        for gram in ngrams(words, self.n):
            self._places.setdefault(hash(gram), []).append(number)

    def overlap(self, item: str, text: str, threshold: float = THRESHOLD) -> Overlap:
        """How much of one text is in the index; flagged where the unrounded fraction reaches `threshold`."""
        limit = Fraction(repr(share("threshold", threshold)))
        grams = ngrams(tokens(checked_text(item, text)), self.n)
        if not grams:
            return Overlap(item, None, 0, 0, "too short", (), 0, None, None)
        places = [found for gram in grams if (found := self._places.get(hash(gram)))]
        per_document = Counter(number for found in places for number in found)
        names = sorted({self.documents[number] for number in per_document})
        most = max(per_document.values(), default=0)
        best = min((self.documents[d] for d, count in per_document.items() if count == most), default=None)
        return Overlap(
            item=item,
            fraction=len(places) / len(grams),
            matched=len(places),
            grams=len(grams),
            flag="CONTAMINATED?" if Fraction(len(places), len(grams)) >= limit else "clean",
            sources=tuple(names[:SOURCES_SHOWN]),
            source_count=len(names),
            best=best,
            best_fraction=most / len(grams),
        )

    def same_words(self, text: str) -> str | None:
        """The first document that consists of the same tokens, however short; None for none."""
        words = tuple(tokens(text))
        number = self._all_words.get(words) if words else None
        return None if number is None else self.documents[number]


def contamination_report(
    items: Mapping[str, str], index: Index, threshold: float = THRESHOLD
) -> tuple[Overlap, ...]:
    """One row per item, in the items' order, all of one shape.

    What it cannot see: a paraphrase, a translation, and an answer that leaked while the question did not. For the last, pass the known
    answers as items (`gold_patches`).
    """
    return tuple(index.overlap(item, text, threshold) for item, text in items.items())


def gold_patches(patches: Mapping[str, str]) -> dict[str, str]:
    """The lines that each item's known solution (a unified diff) adds, as texts to be looked for."""
    return {f"{item} (gold patch)": added_text(diff) for item, diff in patches.items()}


@dataclass(frozen=True)
class PromptHit:
    """A battle prompt that is a benchmark item, or holds one."""

    prompt: str
    item: str
    fraction: float  # of the item's n-grams in the prompt, or of the prompt's in the item, the larger
    how: Literal["same words", "item in prompt", "prompt in item"]


def items_among_prompts(
    prompts: Mapping[str, str], items: Mapping[str, str], n: int = WORDS, threshold: float = 0.5
) -> tuple[PromptHit, ...]:
    """Battle prompts that repeat a benchmark item, one row per prompt, in the prompts' order.

    Flagged when a prompt has the very words of an item (however short), or shares at least `threshold` of the n-grams of the shorter
    with one item. Votes on such a battle may reward a remembered answer.
    """
    if share("threshold", threshold) == 0:
        raise BadNumber("threshold 0 would flag everything")
    by_item, by_prompt = Index(items, n), Index(prompts, n)
    held: dict[str, tuple[float, str]] = {}
    for item, text in items.items():
        found = by_prompt.overlap(item, text, threshold)
        if found.best is not None and found.best_fraction is not None:
            held[found.best] = max(held.get(found.best, (0.0, "")), (found.best_fraction, item))
    hits = [_hit(prompt, text, by_item, held.get(prompt), threshold) for prompt, text in prompts.items()]
    return tuple(hit for hit in hits if hit is not None)


def _hit(
    prompt: str, text: str, by_item: Index, held: tuple[float, str] | None, threshold: float
) -> PromptHit | None:
    same = by_item.same_words(text)
    if same is not None:
        return PromptHit(prompt, same, 1.0, "same words")
    own = by_item.overlap(prompt, text, threshold)
    inside = (own.best_fraction or 0.0, own.best or "")
    if held is not None and held[0] >= max(inside[0], threshold):
        return PromptHit(prompt, held[1], held[0], "item in prompt")
    if inside[0] >= threshold:
        return PromptHit(prompt, inside[1], inside[0], "prompt in item")
    return None
