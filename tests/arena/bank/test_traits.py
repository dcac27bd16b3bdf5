"""Traits are counted as a reader sees them, in any script, and in linear time."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from arena.bank import traits
from arena.bank.traits import ParsedAnswer, count_tokens, measure, measure_turns
from tests.arena.bank import plain_traits

HOSTILE = {
    "unbroken": "W" * 1_000_000,
    "stars": "*" * 1_000_000,
    "stars and letters": "**a" * 330_000,
    "stars and spaces": "** a" * 250_000,
    "bars": "__a" * 330_000,
    "ticks": "`" * 1_000_000,
    "unmatched ticks": " ".join("`" * (n % 700 + 1) for n in range(3000)),
    "fences": "```\n" * 250_000,
    "rules": "- " * 500_000,
    "digits": "1" * 1_000_000,
    "number signs": "#" * 1_000_000,
    "tabs": "\t" * 1_000_000,
    "empty lines": "\n" * 1_000_000,
    "nested lists": "\n".join("  " * depth + "- x" for depth in range(1000)),
}


def seen(text: str) -> tuple[int, int, int]:
    """Headers, list items and bold spans as a CommonMark parser has them."""
    tokens = MarkdownIt("commonmark").parse(text)
    inline = [child for token in tokens for child in token.children or []]
    return (
        sum(token.type == "heading_open" and token.markup.startswith("#") for token in tokens),
        sum(token.type == "list_item_open" for token in tokens),
        sum(child.type == "strong_open" for child in inline),
    )


def counted(text: str) -> tuple[float, float, float]:
    found = measure(text)
    return found["headers"], found["lists"], found["bold"]


def test_the_four_of_style_control_are_there_in_order():
    assert list(measure("")) == ["length", "headers", "lists", "bold"]
    assert list(traits.meanings()) == list(measure(""))


def test_an_empty_text_counts_nothing():
    assert set(measure(" \n\t ").values()) == {0.0}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One\n\n## Two\n\n###### Six\n\n####### seven is none\n\n#tag is none", (3, 0, 0)),
        ("- a\n* b\n+ c\n1. d\n2) e\n    - deeper\n-no\n1.no", (0, 6, 0)),
        ("**a** and __b__, ** not **, snake__case__name, **two\nlines**", (0, 0, 2)),
        ("***both*** **a *b* c**", (0, 0, 1)),  # as in the public definition: no star inside
        ("**`code`** is bold, `**code**` is not, ``a ` **b**`` neither", (0, 0, 1)),
        ("```md\n# no\n- no\n**no**\n```\n# yes", (1, 0, 0)),
        ("~~~\n# no\n```\n# no\n~~~\n# yes", (1, 0, 0)),
        ("````\n```\n# no\n```\n````\n- yes", (0, 1, 0)),
        ("```\nno closing fence\n# no\n**no**", (0, 0, 0)),
        ("``` not a fence ``` **yes**", (0, 0, 1)),
        ("text\n\n    # indented code\n    - no\n\n- yes", (0, 1, 0)),
        ("- item\n\n  ```\n  # no\n  ```\n\n      # code in the item\n\n- item", (0, 2, 0)),
        ("1. ```py\n   # no\n   ```\n2. b", (0, 2, 0)),
        ("* * *\n- - -\n---\n***", (0, 0, 0)),
        ("> - quoted\n> # quoted\n> **quoted**", (0, 0, 1)),
        ("# a\r\n- b\r\n\r\n**c**\r\n", (1, 1, 1)),
        ("an unmatched ` tick\n\n**a** and ` another", (0, 0, 1)),
    ],
)
def test_markdown_is_counted_as_style_control_does(text, expected):
    assert counted(text) == expected


PIECES = [
    "# Header\n", "## Header two\n", "plain words\n", "- item\n- item\n", "1. first\n2. second\n", "\n",
    "**bold** words\n", "__bold__ words\n", "`**code**` words\n", "```\n# code\n- code\n```\n",
    "~~~\n**code**\n~~~\n", "\n\n    # indented\n\n", "- a\n  - b\n    - c\n", "***\n\n", "a `tick` b\n",
]  # fmt: skip


@pytest.mark.slow
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("\n".join))
def test_counts_are_what_a_commonmark_parser_sees(text):
    assert counted(text) == seen(text)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The cat sat on the mat.", 7),
        ("3.14 + x_1", 7),
        ("internationalisation", 3),
        ("猫がマットに座った。", 10),
        ("고양이가 앉았다", 7),
        ("مرحبا بك", 2),
        ("קָמָץ", 1),  # points are no tokens
        ("हिन्दी", 1),
        ("\U0001f469\u200d\U0001f4bb", 2),  # the joiner is none
        ("zero\u200bwidth", 2),  # one run of nine letters
        ("a\u00a0b", 2),
    ],
)
def test_length_needs_no_spaces_and_no_vocabulary(text, tokens):
    assert count_tokens(text) == tokens


ANYTHING = st.one_of(
    st.text(max_size=200),
    st.text(alphabet="ab8 *_`#-+1.)\n\r\t>~٣猫é\u200b\x1c", max_size=300),
    st.lists(
        st.sampled_from(
            [
                *PIECES,
                "1) ",
                "   ",
                "\t",
                "- ",
                "* * *",
                "~~~",
                "```",
                "``",
                "\r\n",
                "٣. ",
                "é\n",
                "__é__",
                "_",
                "\x0b",
            ]
        ),
        max_size=25,
    ).map("".join),
)


@pytest.mark.slow
@settings(max_examples=400)
@given(ANYTHING)
def test_the_fast_reading_counts_what_the_plain_one_does(text):
    assert measure(text) == plain_traits.measure(text)
    assert ParsedAnswer.of(text).prose == plain_traits.read(text)[0]


@given(st.text(max_size=60), st.text(max_size=60))
def test_length_adds_up_over_lines(first, second):
    assert count_tokens(first + "\n" + second) == count_tokens(first) + count_tokens(second)


@given(st.text(alphabet="ab *_`#-1.\n\t>~", max_size=200))
def test_code_counts_for_length_alone(text):
    fenced = "~~~~\n" + text.replace("~", "") + "\n~~~~"

    assert counted(fenced) == (0, 0, 0)
    assert measure(fenced)["length"] == 8 + count_tokens(text.replace("~", ""))


@given(st.text(alphabet="ab *_`#-1.\n\t>~", max_size=300))
def test_any_text_is_measured(text):
    assert all(value >= 0 for value in measure(text).values())


def test_turns_are_summed():
    turns = ["# a\n- b", "**c** d"]

    assert measure_turns(turns) == {"length": 10, "headers": 1, "lists": 1, "bold": 1}
    assert measure_turns([]) == dict.fromkeys(measure(""), 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.timeout(60)  # a part of a second each; a quadratic step on a million characters would be minutes
def test_a_hostile_text_takes_no_longer_than_its_length(name):
    assert list(measure(HOSTILE[name])) == ["length", "headers", "lists", "bold"]


def test_a_new_trait_is_one_function(monkeypatch):
    monkeypatch.setattr(traits, "TRAITS", dict(traits.TRAITS))

    @traits.trait("links", "links, code left out")
    def links(answer: ParsedAnswer) -> float:
        return len(re.findall(r"\]\(", answer.prose))

    assert measure("[a](b) `[c](d)`")["links"] == 1
    with pytest.raises(ValueError, match="links"):
        traits.trait("links", "again")(links)
