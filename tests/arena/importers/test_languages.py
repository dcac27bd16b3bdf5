"""Language names and codes become BCP-47 tags."""

from __future__ import annotations

from typing import Any

import pytest

from arena.importers.values.languages import Languages


@pytest.mark.parametrize(
    ("word", "tag"),
    [
        ("English", "en"), ("CHINESE", "zh"), ("Portuguese", "pt"), ("Scots Gaelic", "gd"), ("haitian_creole", "ht"), ("Chinese (Simplified)", "zh-Hans"),
        ("en", "en"), ("EN-us", "en-US"), ("zh_hant", "zh-Hant"), ("pt-BR", "pt-BR"), ("fil", "fil"), ("sr-latn-rs", "sr-Latn-RS"),
        (["Korean", "en"], "ko"), (["unknown", "fr"], "fr"), ([], None),
        ("unknown", None), ("und", None), ("", None), (None, None), (float("nan"), None), (7, None), (" German ", "de"),
    ],
)  # fmt: skip
def test_tag(word: Any, tag: str | None) -> None:
    assert Languages().read(word) == tag


def test_a_word_that_is_no_language_is_unknown_and_remembered() -> None:
    languages = Languages()

    assert languages.read("Klingon") is None
    assert languages.unknown == {"Klingon"}
