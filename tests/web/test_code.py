"""Coloured code: every letter kept, and work that is bounded by counting, whoever wrote the code."""

from __future__ import annotations

import html
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.bank.bank import Bank
from tests.arena.makers import make_bank
from web import code, format, maths, warming
from web.format import render

# What costs ordinary highlighters the square of the length or more.
TRAPS = (
    "a\n", "\n", "(", "<a ", "a<", "/*", "'''", '"""', "'\\", "\"\\", "`", "<!--", "a.", "a::", "0x", "//", "#a\n", "--", "  \n", "a:", "@a(",
    "class a ", "R\"(", "<<a\n", "- a: ", "!a ", "{-", "r#\"", "a\\\n", "select ",
)  # fmt: skip


def words(shown: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", shown))


@given(
    st.sampled_from(sorted(code.LANGUAGES)), st.text(alphabet="ab1 \n\t\"'`\\/*#-<>!=:;.(){}@&é", max_size=80)
)
def test_coloured_code_keeps_every_letter(language: str, source: str) -> None:
    assert words(code.colour(source, language)) == source


@pytest.mark.parametrize(
    ("language", "source", "shown"),
    [
        ("python", "def f(): # x", '<span class="k">def</span> <span class="nf">f</span>(): <span class="c"># x</span>'),
        ("rust", "fn f<'a>(x: &'a str)", '<span class="k">fn</span> <span class="nf">f</span>&lt;\'a&gt;(x: &amp;\'a str)'),
        ("c", "#include <a> // b", '<span class="nt">#include</span> &lt;a&gt; <span class="c">// b</span>'),
        ("sql", "SELECT 'it' -- x", '<span class="k">SELECT</span> <span class="s">&#x27;it&#x27;</span> <span class="c">-- x</span>'),
        ("html", "<b>don't</b>", '<span class="nt">&lt;b</span><span class="nt">&gt;</span>don&#x27;t<span class="nt">&lt;/b</span><span class="nt">&gt;</span>'),
        ("yaml", "a: 1 # b", '<span class="nt">a</span>: <span class="m">1</span> <span class="c"># b</span>'),
        ("brainfuck", "<+>", "&lt;+&gt;"),
    ],
)  # fmt: skip
def test_words_are_coloured_by_what_they_are(language: str, source: str, shown: str) -> None:
    assert html.unescape(code.colour(source, language)) == html.unescape(shown)


def test_code_beyond_the_allowance_of_a_text_stays_plain() -> None:
    block = "```python\n" + "if x:\n" * 1_000 + "```\n"  # 6,000 characters of code

    shown = str(render(block * 5))

    blocks = shown.split("<pre")[1:]
    assert ['class="k"' in one for one in blocks] == [True, True, True, False, False]
    assert words(shown).count("if x:") == 5_000


def test_formulas_beyond_the_allowance_of_a_text_are_source() -> None:
    shown = str(render("$x^2$ " * 2_000))

    assert shown.count("<math") == maths.ALL_FORMULAS // maths.LEAST_FORMULA
    assert words(re.sub(r"<math.*?</math>", "", shown)).count("$x^2$") == 1_500


def test_a_text_longer_than_the_limit_is_shown_as_typed() -> None:
    text = "**a**" * (format.LONGEST_MARKDOWN // 5 + 1)

    assert "<strong>" not in render(text)
    assert words(str(render(text))) == text


def test_a_text_is_rendered_once() -> None:
    render.cache_clear()

    first = render("once *only*")

    assert render("once *only*") is first
    assert render.made == 1


def test_texts_of_the_bank_are_rendered_before_they_are_asked_for() -> None:
    render.cache_clear()
    bank: Bank = make_bank()

    warming.warm(bank, rest=lambda seconds: None)
    made = render.made
    for answers in bank.answers.values():
        render(answers[0].text)

    assert made == render.made == len(bank.prompts) + len(bank.answers)


def test_the_memory_of_texts_has_an_end() -> None:
    kept = format.Remembered(lambda text: format.Markup(text), 100)

    for number in range(50):
        kept(f"text {number:03d}")

    assert kept.made == 50
    assert kept("text 049") == "text 049"
    assert kept.made == 50
    kept("text 000")
    assert kept.made == 51


@pytest.mark.slow
@pytest.mark.parametrize("language", sorted(code.LANGUAGES))
def test_no_code_costs_more_than_its_length(language: str) -> None:
    slowest = 0.0
    for trap in TRAPS:
        started = time.process_time()
        code.colour((trap * 20_000)[:20_000], language)
        slowest = max(slowest, time.process_time() - started)

    assert slowest < 1.0  # 0.03 s here; the square of the length took 14 to 21 s
