"""LaTeX to MathML on the server: plain presentation markup that cannot run, load, move or hide anything."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any
from xml.etree import ElementTree

from latex2mathml import converter, exceptions
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.amsmath import amsmath_block, amsmath_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.dollarmath.index import math_block_dollar

BlockRule = Callable[[StateBlock, int, int, bool], bool]

LONGEST_FORMULA = 4000  # characters; longer ones are shown as source
DEEPEST_FORMULA = 60  # nested elements; deeper ones are shown as source
ALL_FORMULAS = (
    10_000  # characters in all formulas of a text, a quarter of a second; those after them are source
)
LEAST_FORMULA = 20  # characters: what a formula counts at the least, for what each costs by itself
LONGEST_BLOCK_LINES = 80  # how far a block looks for its closing \]

# Macros can grow without bound; colour, style and links have no place in an answer that must look like any other.
REFUSED = re.compile(
    r"\\(?:def|let|newcommand|renewcommand|newenvironment|DeclareMathOperator|style|class|href)(?![a-zA-Z])"
)
# "$5 for the book and 3$" is money: two plain words side by side and nothing that only mathematics has.
PROSE = re.compile(r"[^\W\d_]{2,}[,.;:]?\s+[^\W\d_]{2,}")
MATHEMATICAL = re.compile(r"[\\^_={}<>]")

TAGS = frozenset(
    str.split(
        "math mrow mi mn mo mtext mspace ms mstyle mpadded mphantom mfrac msqrt mroot msub msup msubsup munder mover "
        "munderover mmultiscripts mprescripts none mtable mtr mtd menclose semantics annotation"
    )
)
_BOOLEAN = re.compile(r"true|false")
_WORDS = re.compile(r"[a-z-]{1,20}( [a-z-]{1,20}){0,40}")
_LENGTH = re.compile(r"\+?(?:[0-3](?:\.\d{1,4})?|\.\d{1,4})(?:em|ex)|0(?:px)?")
_SPACE = re.compile(r"-?0?\.[0-3]\d{0,3}em|" + _LENGTH.pattern)
ATTRIBUTES: Mapping[str, re.Pattern[str]] = {
    "display": re.compile(r"block|inline"),
    "encoding": re.compile(r"application/x-tex"),
    "stretchy": _BOOLEAN,
    "fence": _BOOLEAN,
    "largeop": _BOOLEAN,
    "movablelimits": _BOOLEAN,
    "accent": _BOOLEAN,
    "accentunder": _BOOLEAN,
    "displaystyle": _BOOLEAN,
    "form": re.compile(r"prefix|infix|postfix"),
    "scriptlevel": re.compile(r"[+]?[0-2]"),
    "mathvariant": re.compile(r"[a-z-]{4,24}"),
    "columnalign": _WORDS,
    "columnlines": _WORDS,
    "rowlines": _WORDS,
    "notation": _WORDS,
    "columnspacing": re.compile(r"\d?(?:\.\d{1,4})?em(?: \d?(?:\.\d{1,4})?em){0,40}"),
    "linethickness": _LENGTH,
    "minsize": _LENGTH,
    "maxsize": _LENGTH,
    "width": _SPACE,
    "height": _LENGTH,
    "depth": _LENGTH,
}
BROKEN: tuple[type[Exception], ...] = (
    *(e for e in vars(exceptions).values() if isinstance(e, type) and issubclass(e, Exception)),
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,  # RecursionError, and a StopIteration inside a generator
    StopIteration,
    TypeError,
    ValueError,
)


class Unrenderable(ValueError):
    """The formula is too long, too deep, or asks for what is refused."""


def mathml(source: str, *, display: bool, shown_as: str) -> str:
    """`source` as one `<math>` element that carries `shown_as`, the text as the author typed it.

    A formula that cannot be set is shown as source, in code.
    """
    try:
        return _set(source, display, shown_as)
    except BROKEN:
        return f'<code class="tex">{escape(shown_as)}</code>'


def _set(source: str, display: bool, shown_as: str) -> str:
    if not source.strip() or len(source) > LONGEST_FORMULA or REFUSED.search(source):
        raise Unrenderable
    # An unescaped percent sign would start a comment and swallow what was said after it.
    source = re.sub(r"(?<!\\)%", r"\\%", source)
    root = converter.convert_to_element(source, display="block" if display else "inline")
    _harmless(root, DEEPEST_FORMULA)
    root.attrib.pop("xmlns", None)
    content = list(root)
    for child in content:
        root.remove(child)
    semantics = ElementTree.SubElement(root, "semantics")
    row = ElementTree.SubElement(semantics, "mrow")
    row.extend(content)
    note = ElementTree.SubElement(semantics, "annotation", {"encoding": "application/x-tex"})
    note.text = shown_as
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


def _harmless(element: ElementTree.Element, depth: int) -> None:
    """Keep only known elements and attributes. The converter writes characters as entities: decode them here."""
    if depth == 0:
        raise Unrenderable
    if element.tag not in TAGS:
        element.tag = "mrow"
    kept = {
        name: value
        for name, value in element.attrib.items()
        if name in ATTRIBUTES and ATTRIBUTES[name].fullmatch(value)
    }
    element.attrib.clear()
    element.attrib.update(kept)
    element.text = _characters(element.text)
    element.tail = _characters(element.tail)
    for child in element:
        _harmless(child, depth - 1)


def _characters(text: str | None) -> str | None:
    return text and re.sub(r"&#x([0-9A-Fa-f]{1,6});", lambda m: chr(int(m[1], 16)), text)


def maths_plugin(md: MarkdownIt) -> None:
    r"""Read `$ $`, `$$ $$`, `\( \)`, `\[ \]` and amsmath environments, and write them as MathML."""
    md.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True)
    md.use(amsmath_plugin)
    md.block.ruler.at("math_block", _bounded(math_block_dollar(allow_labels=False)))
    md.block.ruler.at(
        "amsmath", _bounded(amsmath_block), {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )
    md.inline.ruler.before("escape", "math_bracket", _bracket_inline)
    md.block.ruler.before(
        "fence",
        "math_bracket_block",
        _bracket_block,
        {"alt": ["paragraph", "reference", "blockquote", "list"]},
    )
    md.add_render_rule("math_inline", _render(_dollar))
    md.add_render_rule("math_inline_double", _render(_inline_display))
    md.add_render_rule("math_bracket", _render(_bracket))
    md.add_render_rule("math_block", _render(_block))
    md.add_render_rule("math_bracket_block", _render(_block))
    md.add_render_rule("amsmath", _render(_environment))


def _bounded(rule: BlockRule) -> BlockRule:
    """The rule with an end to its search: else thousands of openings without a closing take minutes."""

    def look(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        return rule(state, start, min(end, start + LONGEST_BLOCK_LINES), silent)

    return look


def _bracket_inline(state: StateInline, silent: bool) -> bool:
    opening = state.src[state.pos : state.pos + 2]
    if opening not in CLOSING:
        return False
    # Not to the end of the text: thousands of openings without a closing would each look there.
    end = state.src.find(CLOSING[opening], state.pos + 2, state.pos + 2 + LONGEST_FORMULA + 2)
    if end < 0 or not state.src[state.pos + 2 : end].strip():
        return False
    if not silent:
        token = state.push("math_bracket", "math", 0)
        token.content = state.src[state.pos + 2 : end]
        token.markup = opening
    state.pos = end + 2
    return True


CLOSING = {r"\(": r"\)", r"\[": r"\]"}


def _bracket_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    first = state.bMarks[start] + state.tShift[start]
    if not state.src.startswith(r"\[", first) or state.is_code_block(start):
        return False
    last = min(end, start + LONGEST_BLOCK_LINES)
    for line in range(start, last):
        text = state.src[first + 2 if line == start else state.bMarks[line] : state.eMarks[line]].rstrip()
        if r"\]" in text:
            if not text.endswith(r"\]") or text.index(r"\]") != len(text) - 2:
                return False
            break
    else:
        return False
    if silent:
        return True
    token = state.push("math_bracket_block", "math", 0)
    token.block = True
    source = state.getLines(start, line + 1, state.sCount[start], False).strip()
    token.content = source.removeprefix(r"\[").removesuffix(r"\]")
    token.markup = r"\["
    token.map = [start, line + 1]
    state.line = line + 1
    return True


def _render(write: Callable[[Token], str]) -> Callable[..., str]:
    def rule(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        env["formulas"] = env.get("formulas", 0) + max(LEAST_FORMULA, len(token.content))
        return write(token) if env["formulas"] <= ALL_FORMULAS else _source(token)

    return rule


def _source(token: Token) -> str:
    """A formula as its author typed it."""
    closing = CLOSING.get(token.markup, token.markup)
    shown = (
        escape(token.markup + token.content.strip("\n") + closing)
        if token.type != "amsmath"
        else escape(token.content)
    )
    code = f'<code class="tex">{shown}</code>'
    return f'<div class="math display" tabindex="0">{code}</div>\n' if token.block else code


def _dollar(token: Token) -> str:
    source = f"${token.content}$"
    if PROSE.search(token.content) and not MATHEMATICAL.search(token.content):
        return escape(source)
    return f'<span class="math">{mathml(token.content, display=False, shown_as=source)}</span>'


def _inline_display(token: Token) -> str:
    shown = mathml(token.content, display=True, shown_as=f"$${token.content}$$")
    return f'<span class="math display" tabindex="0">{shown}</span>'


def _bracket(token: Token) -> str:
    display = token.markup == r"\["
    shown = mathml(
        token.content, display=display, shown_as=token.markup + token.content + CLOSING[token.markup]
    )
    return (
        f'<span class="math display" tabindex="0">{shown}</span>'
        if display
        else f'<span class="math">{shown}</span>'
    )


def _block(token: Token) -> str:
    closing = CLOSING.get(token.markup, token.markup)
    shown = mathml(token.content, display=True, shown_as=token.markup + token.content + closing)
    return f'<div class="math display" tabindex="0">{shown}</div>\n'


def _environment(token: Token) -> str:
    shown = mathml(token.content, display=True, shown_as=token.content.strip())
    return f'<div class="math display" tabindex="0">{shown}</div>\n'
