"""Overlap of items with a body of text, in any script; prompts that are items; known answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ratings.benchmarks.methods.contamination import (
    Index,
    contamination_report,
    gold_patches,
    items_among_prompts,
)
from ratings.benchmarks.methods.ngrams import ngrams, tokens
from ratings.stats.arguments import BadNumber


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't  PANIC, snake_case-2!", ["don", "t", "panic", "snake", "case", "2"]),
        ("naïve café", ["naïve", "café"]),
        ("nai\u0308ve", ["naïve"]),  # composed and decomposed are one
        ("ﬁne Straße ＡＢＣ２", ["fine", "strasse", "abc2"]),
        ("東京は日本", ["東", "京", "は", "日", "本"]),
        ("ガギ", ["ガ", "ギ"]),  # half width and decomposed kana are composed first
        ("ｶﾞｷﾞ", ["ガ", "ギ"]),
        ("한국어 시험", ["한", "국", "어", "시", "험"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),  # vowel signs stay in the word
        ("ง่าย", ["ง่", "า", "ย"]),
        ("Привет, МИР", ["привет", "мир"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("zero\u200bwidth so\u00adft\ufeff", ["zerowidth", "soft"]),
        ("x=日本2024年", ["x", "日", "本", "2024", "年"]),
        ("😀 … — _", []),
        ("", []),
    ],
)
def test_tokens_of_any_script(text, expected):
    assert tokens(text) == expected


@pytest.mark.slow
@given(st.text(max_size=60), st.text(max_size=60))
def test_tokens_are_folded_once_and_for_all(one, other):
    words = tokens(one)

    assert tokens(" ".join(words)) == words
    assert tokens(f"{one}\n{other}") == words + tokens(other)


@pytest.mark.slow
@given(st.lists(st.sampled_from("abc"), max_size=12), st.integers(1, 5))
def test_ngrams_are_all_runs(words, n):
    assert ngrams(words, n) == {tuple(words[i : i + n]) for i in range(len(words) - n + 1)}


def test_a_verbatim_copy_is_found_in_every_script():
    texts = {
        "ja": "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。",
        "ru": "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему, и так далее",
        "th": "ประเทศไทยตั้งอยู่ในเอเชียตะวันออกเฉียงใต้",
    }

    index = Index({name: f"... {text.upper()} ..." for name, text in texts.items()})

    for name, text in texts.items():
        found = index.overlap("item", text)
        assert (found.fraction, found.flag, found.sources) == (1.0, "CONTAMINATED?", (name,))


def test_every_row_has_one_shape_and_the_items_order():
    index = Index({"d": "a b c d"}, n=3)

    rows = contamination_report({"short": "a b", "none": "x y z", "half": "a b c z"}, index)

    assert [(row.item, row.fraction, row.exact, row.flag) for row in rows] == [
        ("short", None, None, "too short"), ("none", 0.0, "0/1", "clean"), ("half", 0.5, "1/2", "CONTAMINATED?")
    ]  # fmt: skip


def test_the_threshold_is_exact_and_unrounded():
    index = Index({"d": "a b c d e f g h i j"}, n=1)

    # 4/9 is .4444..., which rounds to .44.
    assert index.overlap("i", "a b c d v w x y z", 0.4444).flag == "CONTAMINATED?"
    assert index.overlap("i", "a b c d v w x y z", 0.4445).flag == "clean"
    assert index.overlap("i", "a b c u v w x y z 1", 0.3).flag == "CONTAMINATED?"
    assert index.overlap("i", "x", 0.0).flag == "CONTAMINATED?"


def test_sources_are_the_first_three_by_name_and_the_best_is_named():
    index = Index({"d": "a b c", "b": "a b c", "a": "a b c x y", "c": "c"}, n=2)

    found = index.overlap("i", "a b c x y")

    assert (found.sources, found.source_count) == (("a", "b", "d"), 3)
    assert (found.best, found.best_fraction) == ("a", 1.0)


def test_repeated_ngrams_count_once():
    assert Index({"d": "a a a a"}, n=1).overlap("i", "a a a b").exact == "1/2"


@pytest.mark.parametrize("n", [0, -1, 2.5, "8", None, True])
def test_impossible_lengths_are_refused(n):
    with pytest.raises(BadNumber):
        Index({}, n)


def test_impossible_thresholds_and_texts_are_refused():
    index = Index({}, 3)
    assert index.overlap("i", "a b c").flag == "clean"
    for threshold in (-0.1, 1.1, float("nan"), "0.2", None):
        with pytest.raises(BadNumber):
            index.overlap("i", "a b c", threshold)
    for text in (None, 3, ["a"]):
        with pytest.raises(BadNumber):
            index.overlap("i", text)
        with pytest.raises(BadNumber):
            Index({"d": text})
    with pytest.raises(BadNumber):
        items_among_prompts({}, {}, threshold=0)


def test_known_answers_are_looked_for_too():
    diff = "--- a/x.py\n+++ b/x.py\n@@ -1 +1,2 @@\n-old line\n+value = compute_the_answer(first, second, third)\n+return value\n"

    patches = gold_patches({"task-1": diff})
    found = contamination_report(
        patches, Index({"fork": "x\n  value = compute_the_answer(first, second, third)\n"}, n=5)
    )

    assert patches == {
        "task-1 (gold patch)": "value = compute_the_answer(first, second, third)\nreturn value"
    }
    assert found[0].flag == "CONTAMINATED?"


ITEMS = {
    "q1": "A train leaves the station at noon and travels sixty miles an hour towards the sea, when does it arrive?",
    "q2": "What is 2+2?",
    "q3": "Name the capital of France and describe in some detail how it came to be the capital over the centuries.",
}


def test_prompts_that_are_items_are_flagged():
    prompts = {
        "same": "WHAT is 2 + 2",
        "holds": f"Please solve this for me. {ITEMS['q1']} Thanks a lot, and show your steps.",
        "part": "describe in some detail how it came to be the capital over the centuries",
        "other": "Write a poem about trains that leave stations at noon in the rain and never come back again, please.",
        "short": "hello",
        "empty": "",
    }

    found = {hit.prompt: (hit.item, hit.how) for hit in items_among_prompts(prompts, ITEMS)}

    assert found == {
        "same": ("q2", "same words"), "holds": ("q1", "item in prompt"), "part": ("q3", "prompt in item")
    }  # fmt: skip
