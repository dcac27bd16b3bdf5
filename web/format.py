"""The one way from a text (a prompt, an answer) to HTML: Markdown with HTML off, then a sanitiser."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup
from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
from pygments.token import STANDARD_TYPES  # type: ignore[import-untyped]

from web import maths

REMEMBERED_TEXTS = 512  # 29 kB of Markdown takes 150 ms, and a bank shows the same texts again and again
LONGEST_MARKDOWN = 60_000  # characters, twice the longest answers around; longer texts are shown as typed
LONGEST_COLOURED_CODE = 20_000  # characters; longer code stays plain
FIRST_HEADING = 3  # h1 is the page, h2 the side
COLOURED = frozenset(
    str.split(
        "bash c c++ cpp cs csharp css diff go haskell html ini java javascript js json kotlin lua makefile php "
        "python py r ruby rust scala sh sql swift toml ts typescript xml yaml"
    )
)  # the lexers we let run on other people's text

_BLOCK = frozenset(str.split("p h3 h4 h5 h6 ul ol blockquote table pre"))
_INLINE = frozenset(str.split("a br hr strong em s code li thead tbody tr th td div span"))
_TAGS = _BLOCK | _INLINE | maths.TAGS
_CODE_CLASSES = frozenset(STANDARD_TYPES.values()) - {""}
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
        "span": _CODE_CLASSES | {"math", "display", "image", "language"},
        "code": {"tex"},
        "div": {"math", "display", "scroll"},
        **{f"h{n}": {f"as-h{m}" for m in range(1, 7)} for n in range(FIRST_HEADING, 7)},
        **{tag: {"to-left", "to-center", "to-right"} for tag in ("th", "td")},
    },
    link_rel="noopener noreferrer nofollow",
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
)


@lru_cache(maxsize=REMEMBERED_TEXTS)
def render(text: str) -> Markup:
    """`text` as HTML that shows every letter of it and can do nothing but be read."""
    html = f"<pre>{escape(text)}</pre>" if len(text) > LONGEST_MARKDOWN else _MARKDOWN.render(text)
    return Markup(_CLEANER.clean(html))


def _reader() -> MarkdownIt:
    md = MarkdownIt("commonmark", {"html": False, "linkify": False, "breaks": True})
    md.enable(["table", "strikethrough"])
    md.use(maths.maths_plugin)
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
    return (
        f'{label}<pre tabindex="0" dir="ltr"><code>{_colour(token.content, language.lower())}</code></pre>\n'
    )


def _colour(code: str, language: str) -> str:
    if language not in COLOURED or len(code) > LONGEST_COLOURED_CODE or re.search(r"\S{500}", code):
        return escape(code)
    lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    return str(highlight(code, lexer, HtmlFormatter(nowrap=True)))


def _table_open(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return f'<div class="scroll" tabindex="0">{renderer.renderToken(tokens, index, options, env)}'


def _table_close(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    return f"{renderer.renderToken(tokens, index, options, env)}</div>\n"


_MARKDOWN = _reader()
