"""The one way from a text (a prompt, an answer) to HTML: Markdown with HTML off, then a sanitiser."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from html import escape
from importlib import metadata
from pathlib import Path
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup

from web import allowance, code, maths
from web.remembered import Remembered

REMEMBERED = 64_000_000  # characters of texts and HTML; a bank shows the same texts again and again
LONGEST_MARKDOWN = (
    40_000  # characters; the longest answers around have 29,000. Longer texts are shown as typed
)
COLOURED_CODE = 20_000  # characters in all blocks of a text; the blocks after them stay plain
FIRST_HEADING = 3  # h1 is the page, h2 the side

_CODE = ("allowance.py", "code.py", "format.py", "maths.py")
_PACKAGES = ("markdown-it-py", "mdit-py-plugins", "latex2mathml", "nh3")
_BLOCK = frozenset(str.split("p h3 h4 h5 h6 ul ol blockquote table pre"))
_INLINE = frozenset(str.split("a br hr strong em s code li thead tbody tr th td div span"))
_TAGS = _BLOCK | _INLINE | maths.TAGS
_CLEANER = nh3.Cleaner(
    tags=set(_TAGS),
    attributes={
        **{tag: {"dir"} for tag in _BLOCK - {"pre"}},
        **{tag: set(maths.ATTRIBUTES) for tag in maths.TAGS},
        "a": {"href", "title"},
        "ol": {"start", "dir"},
    },
    tag_attribute_values={
        "div": {"tabindex": {"0"}},
        "span": {"tabindex": {"0"}},
        "pre": {"tabindex": {"0"}, "dir": {"ltr"}},
    },
    set_tag_attribute_values={"a": {"target": "_blank"}},
    allowed_classes={
        "span": code.CLASSES | {"math", "display", "image", "language"},
        "code": {"tex"},
        "div": {"math", "display", "scroll"},
        **{f"h{n}": {f"as-h{m}" for m in range(1, 7)} for n in range(FIRST_HEADING, 7)},
        **{tag: {"to-left", "to-center", "to-right"} for tag in ("th", "td")},
    },
    link_rel="noopener noreferrer nofollow",
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
)


def version() -> str:
    """What the HTML of a text depends on: this code and the packages that it uses."""
    ours = (Path(__file__).with_name(name).read_bytes() for name in _CODE)
    theirs = (f"{name} {metadata.version(name)}".encode() for name in _PACKAGES)
    return hashlib.sha256(b"\n".join((*ours, *theirs))).hexdigest()


def _render(text: str) -> Markup:
    """`text` as HTML that shows every letter of it and can do nothing but be read."""
    return Markup(_CLEANER.clean(_html(text)))


def _html(text: str) -> str:
    if len(text) <= LONGEST_MARKDOWN and allowance.allows(text):
        try:
            return str(_MARKDOWN.render(text))
        except allowance.TooMuch:
            pass
    return f"<pre>{escape(text)}</pre>"


def _reader() -> MarkdownIt:
    md = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": True})
    md.enable(["table", "strikethrough"])
    md.use(maths.maths_plugin)
    md.use(allowance.allowance_plugin)
    md.core.ruler.push("headings", _fit_headings)
    md.core.ruler.push("directions", _direct_blocks)
    md.core.ruler.push("columns", _align_columns)
    md.add_render_rule("image", _image)
    md.add_render_rule("fence", _code)
    md.add_render_rule("code_block", _code)
    md.add_render_rule("table_open", _table_open)
    md.add_render_rule("table_close", _table_close)
    return md


def _fit_headings(state: StateCore) -> None:
    """Headings keep their look (`as-h1`) and take levels that continue the page's outline without a gap."""
    headings = [token for token in state.tokens if token.type in ("heading_open", "heading_close")]
    order = sorted({token.tag for token in headings})
    before = FIRST_HEADING - 1
    for opening, closing in zip(headings[::2], headings[1::2], strict=True):
        level = min(FIRST_HEADING + order.index(opening.tag), before + 1, 6)
        opening.attrSet("class", f"as-{opening.tag}")
        opening.tag = closing.tag = f"h{level}"
        before = level


def _direct_blocks(state: StateCore) -> None:
    """Each top-level block finds its own direction, so that one Arabic paragraph does not turn an English one."""
    for token in state.tokens:
        if token.level == 0 and token.nesting == 1:
            token.attrSet("dir", "auto")


def _align_columns(state: StateCore) -> None:
    for token in state.tokens:
        if token.type in ("th_open", "td_open") and "style" in token.attrs:
            side = str(token.attrs.pop("style")).removeprefix("text-align:")
            token.attrSet("class", f"to-{side}")


def _image(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """An image is never loaded (its address would tell a third party which answer is read): its words stay."""
    words = renderer.renderInlineAsText(tokens[index].children or [], options, env)
    return f'<span class="image">[image: {escape(words)}]</span>'


def _code(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    language = token.info.split(maxsplit=1)[0] if token.info.strip() else ""
    label = f'<span class="language">{escape(language[:24])}</span>' if language else ""
    return f'{label}<pre tabindex="0" dir="ltr"><code>{_colour(token.content, language.lower(), env)}</code></pre>\n'


def _colour(source: str, language: str, env: Any) -> str:
    """Coloured while the text's allowance lasts, then plain."""
    if language in code.LANGUAGES:
        env["coloured"] = env.get("coloured", 0) + len(source)
        if env["coloured"] <= COLOURED_CODE:
            return code.colour(source, language)
    return escape(source)


def _table_open(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return f'<div class="scroll" tabindex="0">{renderer.renderToken(tokens, index, options, env)}'


def _table_close(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return f"{renderer.renderToken(tokens, index, options, env)}</div>\n"


_MARKDOWN = _reader()
render = Remembered(_render, REMEMBERED)
