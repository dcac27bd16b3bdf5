"""Language names and codes to BCP-47 tags; what is no language we know stays unknown and is reported."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from arena.importers.values.values import is_missing

TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
UNKNOWN_WORDS = frozenset(
    {"unknown", "und", "un", "none", "undetermined", "xx", "zxx", "other", "multilingual"}
)

# English names as language detectors print them (CLD, polyglot, ISO 639), with the shortest tag.
TABLE = """
abkhazian=ab afar=aa afrikaans=af akan=ak albanian=sq amharic=am arabic=ar aragonese=an armenian=hy
assamese=as aymara=ay azerbaijani=az bashkir=ba basque=eu belarusian=be bengali=bn bangla=bn bihari=bh
bislama=bi bosnian=bs breton=br bulgarian=bg burmese=my catalan=ca cebuano=ceb cherokee=chr chinese=zh
mandarin=zh cantonese=yue corsican=co croatian=hr czech=cs danish=da dhivehi=dv divehi=dv dutch=nl
dzongkha=dz english=en esperanto=eo estonian=et ewe=ee faroese=fo fijian=fj filipino=fil finnish=fi
french=fr frisian=fy galician=gl ganda=lg georgian=ka german=de greek=el greenlandic=kl guarani=gn
gujarati=gu haitian_creole=ht hausa=ha hawaiian=haw hebrew=he hindi=hi hmong=hmn hungarian=hu
icelandic=is igbo=ig indonesian=id interlingua=ia interlingue=ie inuktitut=iu inupiak=ik irish=ga
italian=it japanese=ja javanese=jv kalaallisut=kl kannada=kn kashmiri=ks kazakh=kk khasi=kha khmer=km
kinyarwanda=rw kirundi=rn rundi=rn korean=ko kurdish=ku kyrgyz=ky lao=lo laothian=lo latin=la latvian=lv
limbu=lif lingala=ln lithuanian=lt luxembourgish=lb macedonian=mk malagasy=mg malay=ms malayalam=ml
maltese=mt manx=gv maori=mi marathi=mr mauritian_creole=mfe mongolian=mn nauru=na nepali=ne newari=new
norwegian=no norwegian_bokmal=nb norwegian_nynorsk=nn norwegian_n=nn nyanja=ny chichewa=ny occitan=oc
oriya=or odia=or oromo=om pashto=ps pedi=nso persian=fa farsi=fa polish=pl portuguese=pt punjabi=pa
quechua=qu rhaeto_romance=rm romansh=rm romanian=ro moldavian=ro russian=ru samoan=sm sango=sg
sanskrit=sa scots=sco scots_gaelic=gd scottish_gaelic=gd serbian=sr seselwa=crs sesotho=st shona=sn
sindhi=sd sinhalese=si sinhala=si siswant=ss slovak=sk slovenian=sl somali=so spanish=es castilian=es
sundanese=su swahili=sw swati=ss swedish=sv syriac=syr tagalog=tl tajik=tg tamil=ta tatar=tt telugu=te
thai=th tibetan=bo tigrinya=ti tonga=to tsonga=ts tswana=tn turkish=tr turkmen=tk twi=tw uighur=ug
uyghur=ug ukrainian=uk urdu=ur uzbek=uz venda=ve vietnamese=vi volapuk=vo waray=war waray_philippines=war
welsh=cy wolof=wo xhosa=xh yiddish=yi yoruba=yo zhuang=za zulu=zu chinese_simplified=zh-Hans
simplified_chinese=zh-Hans chinese_traditional=zh-Hant traditional_chinese=zh-Hant chineset=zh-Hant
brazilian_portuguese=pt-BR portuguese_brazil=pt-BR
"""
NAMES = dict(pair.split("=") for pair in TABLE.split())


@dataclass
class Languages:
    """Reads languages and remembers the words that are none."""

    unknown: set[str] = field(default_factory=set)
    read_before: dict[str, str | None] = field(default_factory=dict)

    def read(self, value: Any) -> str | None:
        """A BCP-47 tag, or None; of a list the first language it names. A wrong language never costs a vote."""
        if isinstance(value, list):
            return next((tag for each in value if (tag := self.read(each))), None)
        if is_missing(value) or not isinstance(value, str):
            return None
        if value not in self.read_before:
            self.read_before[value] = self._find(value.strip())
        return self.read_before[value]

    def _find(self, word: str) -> str | None:
        key = "_".join(re.findall(r"\w+", word.lower()))
        if not key or key in UNKNOWN_WORDS:
            return None
        if key in NAMES:
            return NAMES[key]
        if TAG.fullmatch(word):
            return tag_case(word.replace("_", "-"))
        self.unknown.add(word[:40])
        return None


def tag_case(tag: str) -> str:
    """`ZH-hant-tw` as `zh-Hant-TW` (RFC 5646, section 2.1.1)."""
    first, *rest = tag.split("-")
    return "-".join([first.lower(), *(_part_case(part) for part in rest)])


def _part_case(part: str) -> str:
    if len(part) == 2:
        return part.upper()
    return part.title() if len(part) == 4 and part.isalpha() else part.lower()
