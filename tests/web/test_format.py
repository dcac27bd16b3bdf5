"""Rendering: nothing active comes through, every letter stays, and one text never reaches beyond its own box."""

from __future__ import annotations

import re
import time
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from web.format import render

ALLOWED_SCHEMES = ("http:", "https:", "mailto:")
ACTIVE_TAGS = {
    "script", "iframe", "object", "embed", "svg", "img", "image", "style", "link", "meta", "base", "form", "input",
    "button", "textarea", "select", "video", "audio", "source", "picture", "track", "frame", "frameset", "applet",
    "template", "noscript", "foreignobject", "animate", "set", "use", "mglyph", "maction", "annotation-xml", "portal",
}  # fmt: skip
ADDRESSES = {
    "href",
    "src",
    "srcset",
    "action",
    "formaction",
    "xlink:href",
    "background",
    "poster",
    "data",
    "ping",
}


class Page(HTMLParser):
    """Tags, attributes and text of a fragment."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)


def faults(html: str) -> list[str]:
    """Everything in `html` that could act: a tag, a handler, an address, a style."""
    found = []
    for tag, attributes in Page(html).tags:
        if tag in ACTIVE_TAGS:
            found.append(f"<{tag}>")
        for name, value in attributes.items():
            if name.startswith("on") or name in ("style", "id", "name", "srcdoc", "is", "slot"):
                found.append(f"{tag} {name}={value}")
            if name in ADDRESSES and not str(value).lower().startswith(ALLOWED_SCHEMES):
                found.append(f"{tag} {name}={value}")
    return found


PAYLOADS = {
    "script": "<script>confirm(7)</script>",
    "script in a list": "* a\n* <ScRiPt src=//x.test/a.js></sCrIpT>",
    "image handler": '<img src="nope" onerror="confirm(7)">',
    "image without spaces": "<img/src='x'/onerror=confirm(7)>",
    "body": "<body onload=confirm(7)>",
    "javascript link": "[press](javascript:confirm(7))",
    "mixed case": "[press](jAvAsCrIpT:confirm(7))",
    "entity in scheme": "[press](java&#115;cript:confirm(7))",
    "tab in scheme": "[press](java\tscript:confirm(7))",
    "newline in scheme": "[press](java\nscript:confirm(7))",
    "angle destination": "[press](<javascript:confirm(7)>)",
    "autolink": "<javascript:confirm(7)>",
    "reference": "[press][r]\n\n[r]: javascript:confirm(7)",
    "vbscript": "[press](vbscript:msgbox(7))",
    "data html link": "[press](data:text/html;base64,PHNjcmlwdD5jb25maXJtKDcpPC9zY3JpcHQ+)",
    "data svg image": "![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9Y29uZmlybSg3KT4=)",
    "blob": "[press](blob:https://x.test/1)",
    "file": "[press](file:///etc/passwd)",
    "own address": "[press](/me/forget)",
    "other host": "[press](//x.test/)",
    "svg": "<svg onload=confirm(7)>",
    "svg animate": '<svg><animate attributeName=x onbegin="confirm(7)" dur=1s>',
    "svg foreign": "<svg><foreignObject><iframe src=javascript:confirm(7)>",
    "external image": "![pixel](https://x.test/p.gif?who=a)",
    "image reference": "![pixel][r]\n\n[r]: https://x.test/p.gif",
    "iframe": "<iframe srcdoc='<script>confirm(7)</script>'></iframe>",
    "object": "<object data=javascript:confirm(7)></object>",
    "style": "<style>.votebar{display:none}</style>",
    "style attribute": '<p style="position:fixed;inset:0;z-index:99">cover</p>',
    "form": '<form action=/vote method=post><input name=choice value=a><button>Go on</button></form>',
    "meta": '<meta http-equiv="refresh" content="0;url=//x.test">',
    "base": "<base href=//x.test/>",
    "link": "<link rel=stylesheet href=//x.test/a.css>",
    "closing tags": "</div></section></main><h1>other page</h1>",
    "comment": "<!-- --><img src=x onerror=confirm(7)> -->",
    "cdata": "<![CDATA[<script>confirm(7)</script>]]>",
    "math breakout": "<math><mtext></form><form><mglyph><style></math><img src onerror=confirm(7)>",
    "math in math": "$\\text{</math><img src=x onerror=confirm(7)>}$",
    "math style": "$\\style{position:fixed;inset:0}{x}$",
    "math class": "$\\class{votebar}{x}$",
    "math href": "$\\href{javascript:confirm(7)}{x}$",
    "math unicode": "$\\unicode{x3c}script\\unicode{x3e}confirm(7)$",
    "math entity": "$\\text{&#x3c;img src=x onerror=confirm(7)&#x3e;}$",
    "math colour": '$\\color{red" onclick="confirm(7)}{x}$',
    "math space": "$\\hspace{-900em}\\text{over}\\rule{900em}{900em}$",
    "math annotation": "\\(</annotation></semantics></math><script>confirm(7)</script>\\)",
    "math block": "$$\n<script>confirm(7)</script>\n$$",
    "math bracket": "\\[\n</math><svg onload=confirm(7)>\n\\]",
    "math environment": "\\begin{align}\\text{<iframe src=//x.test>}\\end{align}",
    "math macro": "$\\def\\x{\\x\\x}\\x$",
    "title": '[a](https://x.test "\\"><img src=x onerror=confirm(7)>")',
    "info string": "```<img/src=x/onerror=confirm(7)>\nx\n```",
    "table cell": "|a|\n|-|\n|<img src=x onerror=confirm(7)>|",
    "heading": "# <img src=x onerror=confirm(7)>",
    "nul": "<scr\0ipt>confirm(7)</scr\0ipt>",
    "right to left": "\u202e<script>confirm(7)</script>",
}  # fmt: skip


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS.keys())
def test_nothing_active_comes_through(payload: str) -> None:
    assert faults(render(payload)) == []


def test_the_check_itself_finds_what_is_active() -> None:
    raw = [html for html in PAYLOADS.values() if html.startswith("<") and not html.startswith(("<!", "</"))]

    missed = {name for name, html in PAYLOADS.items() if html in raw and not faults(html)}

    assert missed == {"autolink", "nul"}  # no browser takes these for a tag that acts


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<script>confirm(7)</script>", "<script>confirm(7)</script>"),
        ("```html\n<script>confirm(7)</script>\n```", "<script>confirm(7)</script>"),
        ("`<i>`", "<i>"),
        ("    <b>four spaces</b>", "<b>four spaces</b>"),
        ("Use `map<string, vector<int>>` here", "map<string, vector<int>>"),
        ("where $x<y$ holds", "x<y"),
        ("`&lt;`", "&lt;"),
        ("&lt;b&gt;", "<b>"),
        ("[press](javascript:confirm(7))", "press"),
        ("![a picture of a bird](https://x.test/p.gif)", "a picture of a bird"),
        ("👩\u200d💻 🇫🇷 e\u0301", "👩\u200d💻 🇫🇷 e\u0301"),
        ("שלום (abc) 123", "שלום (abc) 123"),
        ("\\(a_1 * b_2 * c\\)", "\\(a_1 * b_2 * c\\)"),
        ("\\[ a_1 * b_2 * c \\]", "a_1 * b_2 * c"),
        ("$p_1*q*r_2$", "$p_1*q*r_2$"),
        ("it costs $5 and then $10", "it costs $5 and then $10"),
        ("$5 for the book and 3$ for the pen", "$5 for the book and 3$ for the pen"),
        ("$40% of x$", "%"),
        ("line one\nline two", "line one\nline two"),
        ("5 * 3 * 2", "5 * 3 * 2"),
        ("snake_case_name", "snake_case_name"),
        ("$\\frac{$", "$\\frac{$"),
        ("unclosed \\( here", "unclosed"),
    ],
)  # fmt: skip
def test_the_letters_stay(text: str, shown: str) -> None:
    assert shown in Page(render(text)).text


@pytest.mark.parametrize(
    "text",
    [
        "$a_b*c*d_e$", "\\(a_1 * b_2 * c\\)", "$$x_i*y*z_j$$", "\\[\nx_1*y*z_2\n\\]", "text \\[x*y*z\\] text",
        "\\begin{align}a_1&=b*c*d\\\\e_2&=f\\end{align}", "$$\na_1\n= b_2\n$$",
    ],
)  # fmt: skip
def test_mathematics_becomes_mathml_and_no_emphasis(text: str) -> None:
    html = render(text)

    assert "<math" in html
    assert "<em>" not in html


@pytest.mark.parametrize(
    "text", ["$\\frac$", "$\\left( x$", "$x^1^2$", "$\\begin{matrix}1$", "$" + "{" * 300 + "}" * 300 + "$"]
)
def test_broken_mathematics_is_shown_as_source(text: str) -> None:
    html = render(text)

    assert '<code class="tex">' in html
    assert text in Page(html).text


def test_code_keeps_its_text_when_it_is_coloured() -> None:
    code = "if a < b and c > d:\n\tprint('<script>')\n\n\n# end"

    page = Page(render(f"```python\n{code}\n```"))

    assert code in page.text
    assert any(tag == "span" for tag, _ in page.tags)


def test_an_unclosed_fence_ends_with_its_own_text() -> None:
    html = render("```python\nif a < b:\n    print('</div></section>')\n(no fence)")

    assert html.count("<pre") == html.count("</pre>") == 1
    assert html.count("<div") == html.count("</div>")
    assert "(no fence)" in Page(html).text


def test_each_block_has_its_own_direction_and_code_reads_left_to_right() -> None:
    html = render("مرحبا (abc)\n\nhello\n\n- שלום\n\n```\nx = 1\n```")

    assert html.count('<p dir="auto">') == 2
    assert '<ul dir="auto">' in html
    assert '<pre tabindex="0" dir="ltr">' in html


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("# a\n## b\n### c", "345"),
        ("### a\n# b", "33"),
        ("## a\n#### b\n###### c", "345"),
        ("#### only", "3"),
        ("# a\n# b\n### c\n## d", "3344"),
    ],
)
def test_headings_continue_the_outline_of_the_page(text: str, levels: str) -> None:
    assert "".join(re.findall(r"<h(\d)", render(text))) == levels


def test_links_leave_without_a_trace() -> None:
    html = render("[there](https://x.test/a?b=1&c=2)")

    assert 'rel="noopener noreferrer nofollow"' in html
    assert 'href="https://x.test/a?b=1&amp;c=2"' in html


def test_wide_content_scrolls_in_its_own_box() -> None:
    html = render("|a|b|\n|:-|-:|\n|1|2|\n\n```\nx\n```\n\n$$x$$")

    assert '<div class="scroll" tabindex="0"><table' in html
    assert '<td class="to-right">2</td>' in html
    assert '<pre tabindex="0"' in html
    assert 'class="math display"' in html


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "W" * 20_000, "\\(" * 10_000, "\\[\n" * 5_000, "$" * 20_000, "$x" * 10_000, "`" * 20_001, "[" * 20_000,
        "*a_" * 7_000, "> " * 5_000, "- " * 5_000 + "x", "|a" * 5_000 + "\n" + "|-" * 5_000, "<" * 20_000,
        "\\begin{align}\n" * 2_000, "$$\n" * 5_000, "![" * 5_000, "&" * 20_000, "```python\n" + "(" * 20_000,
        "$$a\n" * 5_000, "x" * 200_000, "$" + "x_{" * 1_300 + "$", "$" + "\\frac" * 700 + "$", "$" + "\\sqrt{" * 600 + "$", "~" * 20_000,
        "```python\n" + "'''" * 6_000, "```js\n" + "/*" * 9_000, "```c++\n" + "R\"(" * 6_000,
    ],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_no_text_takes_long(text: str) -> None:
    render.cache_clear()
    started = time.process_time()

    html = render(text)

    # The slowest takes a second or two; one that grows with the square of its length would take minutes.
    assert time.process_time() - started < 20.0
    assert faults(html) == []


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from([*PAYLOADS.values(), "$", "$$", "\\(", "\\)", "\\[", "\\]", "`", "```", "<", ">", "\n", "\n\n", "|", "*", "&#x3c;", "a b"]),
        max_size=8,
    ).map("".join)
)  # fmt: skip
def test_no_mixture_of_payloads_is_active(text: str) -> None:
    assert faults(render(text)) == []


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=200))
def test_plain_text_keeps_its_words(text: str) -> None:
    page = Page(render(text))

    assert faults(str(render(text))) == []
    assert [w for w in re.findall(r"[^\W_]{4,}", text) if w not in page.text] == []
