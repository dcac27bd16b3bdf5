"""Code with coloured words, in one pass whose work grows with the length alone, whoever wrote it.

Pygments took 0.7 s for 2 kB of C# and 20 s for 20 kB, and no thread can stop a regular expression. Here every
alternative either keeps what it scanned or fails after a few characters, so that no deadline is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import escape

# The colours: keyword, string, comment, number, what is defined, tag or key.
CLASSES = frozenset({"k", "s", "c", "m", "nf", "nt"})

_DOUBLE = r'"(?:[^"\\\n]|\\.)*+"?'
_SINGLE = r"(?<!\w)'(?:[^'\\\n]|\\.)*+'?"  # not the apostrophe of a word
_LETTER = (
    r"'(?:[^'\\\n]|\\[^\n']{1,9})'|'\\''"  # a character; what else begins with ' is a lifetime or a prime
)
_TRIPLE = r'"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?' + r"|'''(?:[^'\\]|\\.|'(?!''))*+(?:''')?"
_BACKTICK = r"`(?:[^`\\]|\\.)*+`?"
_BLOCK = r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
_SLASH = r"//[^\n]*+|" + _BLOCK
_HASH = r"(?<![^\s;(\[{,])#[^\n]*+"
_DASH = r"--[^\n]*+"
_MARKUP = r"<!--(?:[^-]|-(?!->))*+(?:-->)?"
_KEY = r"^[ \t]*+[\w.-]++(?=[ \t]{0,9}[:=])"
_TAG = r"</?[\w:-]++|/?>"
_NONE = r"(?!)"

_C = (
    "auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern false "
    "float for friend goto if inline int long namespace new nullptr operator private protected public return short signed "
    "sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while"
)
_JAVA = (
    "abstract as async await base bool boolean break byte case catch char class const continue default do double else enum "
    "extends false final finally float for foreach if implements import in int interface internal is long namespace new null "
    "object override package private protected public readonly record return short static string struct super switch this "
    "throw throws true try using var virtual void while yield val fun when def trait match lazy with sealed type"
)
_JS = (
    "abstract any as async await boolean break case catch class const continue default delete do else enum export extends "
    "false finally for from function if implements import in instanceof interface let new null number of private protected "
    "public readonly return static string super switch this throw true try type typeof undefined var void while yield"
)
_PYTHON = (
    "False None True and as assert async await break case class continue def del elif else except finally for from global if "
    "import in is lambda match nonlocal not or pass raise return try while with yield self"
)
_RUBY = (
    "alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo require rescue "
    "retry return self super then true undef unless until when while yield"
)
_R = "break else FALSE for function if in Inf NA NaN next NULL repeat return TRUE while library"
_SHELL = (
    "case cd do done echo elif else esac exit export fi for function if in local read return set shift source then trap unset "
    "until while define endef endif ifdef ifeq ifndef ifneq include"
)
_GO = (
    "break case chan const continue default defer else fallthrough false for func go goto if import interface map nil package "
    "range return select struct switch true type var bool byte error int string float64 int64"
)
_RUST = (
    "as async await break const continue crate else enum extern false fn for if impl in let loop match mod move mut pub ref "
    "return self Self static struct super trait true type unsafe use where while"
)
_SWIFT = (
    "as associatedtype break case catch class continue default defer do else enum extension false fileprivate for func guard if "
    "import in init inout internal is let nil open private protocol public repeat return self static struct super switch throw "
    "throws true try typealias var where while"
)
_PHP = _JS + " echo elseif endif foreach fn global isset namespace require require_once trait use array php"
_SQL = (
    "add all alter and as asc begin between by case check column commit constraint create cross database default delete desc "
    "distinct drop else end exists foreign from full group having in index inner insert into is join key left like limit not "
    "null offset on or order outer over partition primary references right rollback select set table then union unique update "
    "values view when where with"
)
_HASKELL = (
    "as case class data default deriving do else foreign forall hiding if import in infix infixl infixr instance let module "
    "newtype of qualified then type where"
)
_LUA = "and break do else elseif end false for function goto if in local nil not or repeat return then true until while"
_DEFINES = frozenset(str.split("class def defp enum fn fun func function interface module struct trait"))


def _scanner(
    words: str, comment: str, string: str, key: str = _NONE
) -> tuple[re.Pattern[str], frozenset[str]]:
    number = r"(?<![\w.])\d\w*+(?:\.\d\w*+)?"
    parts = {"c": comment, "nt": key, "s": string, "m": number, "word": r"[^\W\d]\w*+"}
    pattern = "|".join(f"(?P<{name}>{part})" for name, part in parts.items())
    return re.compile(pattern, re.DOTALL | re.MULTILINE), frozenset(words.split())


_QUOTES = f"{_DOUBLE}|{_SINGLE}"
_SCANNERS: Mapping[str, tuple[re.Pattern[str], frozenset[str]]] = {
    name: scanner
    for names, scanner in (
        ("c c++ cpp", _scanner(_C, _SLASH, f"{_DOUBLE}|{_LETTER}", r"^[ \t]*+\#[ \t]{0,9}\w++")),
        ("cs csharp java kotlin scala", _scanner(_JAVA, _SLASH, f'"""(?:[^"]|"(?!""))*+(?:""")?|{_DOUBLE}|{_LETTER}')),
        ("javascript js ts typescript", _scanner(_JS, _SLASH, f"{_QUOTES}|{_BACKTICK}")),
        ("python py", _scanner(_PYTHON, r"\#[^\n]*+", f"{_TRIPLE}|{_QUOTES}")),
        ("ruby", _scanner(_RUBY, _HASH, _QUOTES)),
        ("r", _scanner(_R, r"\#[^\n]*+", _QUOTES)),
        ("bash sh makefile", _scanner(_SHELL, _HASH, _QUOTES)),
        ("go", _scanner(_GO, _SLASH, f"{_DOUBLE}|{_LETTER}|`[^`]*+`?")),
        ("rust", _scanner(_RUST, _SLASH, f"{_DOUBLE}|{_LETTER}")),
        ("swift", _scanner(_SWIFT, _SLASH, f"{_TRIPLE}|{_DOUBLE}")),
        ("php", _scanner(_PHP, f"{_SLASH}|{_HASH}", _QUOTES)),
        ("sql", _scanner(f"{_SQL} {_SQL.upper()}", f"{_DASH}|{_BLOCK}", _QUOTES)),
        ("haskell", _scanner(_HASKELL, _DASH, f"{_DOUBLE}|{_LETTER}")),
        ("lua", _scanner(_LUA, _DASH, _QUOTES)),
        ("css", _scanner("important media import", _BLOCK, _QUOTES, r"^[ \t]*+[\w-]++(?=[ \t]{0,9}:)")),
        ("json", _scanner("true false null", _NONE, _DOUBLE)),
        ("yaml toml", _scanner("true false null", _HASH, f"{_TRIPLE}|{_QUOTES}", _KEY)),
        ("ini", _scanner("", r"^[ \t]*+[#;][^\n]*+", _NONE, _KEY)),
        ("html xml", _scanner("", _MARKUP, _QUOTES, _TAG)),
    )
    for name in names.split()
}  # fmt: skip
LANGUAGES = frozenset(_SCANNERS)


def colour(code: str, language: str) -> str:
    """`code` as HTML that shows every letter of it; its words in spans of `CLASSES` if we know the language."""
    if language not in _SCANNERS:
        return escape(code)
    return "".join(_pieces(code, *_SCANNERS[language]))


def _pieces(code: str, pattern: re.Pattern[str], keywords: frozenset[str]) -> Iterable[str]:
    end, before = 0, ""
    for found in pattern.finditer(code):
        text, kind = found[0], found.lastgroup or ""
        if kind == "word":
            kind = "k" if text in keywords else "nf" if before in _DEFINES & keywords else ""
            before = text
        yield escape(code[end : found.start()])
        yield f'<span class="{kind}">{escape(text)}</span>' if kind else escape(text)
        end = found.end()
    yield escape(code[end:])
