"""The example data are complete, equal their sources, and give no model away."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import tomllib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from latex2mathml.converter import convert
from markdown_it import MarkdownIt

from arena import importers
from arena.bank import bank
from arena.bank.roster import Roster
from arena.bank.traits import measure
from data.llmfao import make as llmfao
from data.lmsys_2024_08 import make as lmsys
from web.format import render

DATA = Path(__file__).resolve().parent.parent / "data"
TEXTS = [json.loads(line) for line in (DATA / "bank/bank.jsonl").read_text(encoding="utf-8").splitlines()]
CHARACTERS = {
    "terse": "orvalen-1",
    "long": "tibrusk-3",
    "confident": "quenzar-2",
    "careful": "yolmire-1",
    "weak": "drasteno-4",
}


def table(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def all_text(field: str = "response") -> str:
    return "\n\n".join(row[field] for row in TEXTS)


def tex(text: str) -> list[str]:
    """The formulas of a text, code left out."""
    plain = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    found = re.findall(r"\$\$(.+?)\$\$|\\\[(.+?)\\\]|\\\((.+?)\\\)|\$([^$\n]+?)\$", plain, flags=re.DOTALL)
    return [part for groups in found for part in groups if part]


def test_llmfao_has_the_votes_of_the_release():
    votes = table("llmfao/votes.csv")

    assert Counter(vote["winner"] for vote in votes) == {"left": 2911, "right": 2549, "tie": 3471}
    assert len({vote["worker"] for vote in votes}) == 124
    assert len({vote["id"] for vote in votes}) == 2139
    assert len({vote[side] for vote in votes for side in ("left", "right")}) == 59


def test_llmfao_votes_are_the_file_that_evalica_publishes():
    digest = hashlib.sha256((DATA / "llmfao/votes.csv").read_bytes()).hexdigest()

    assert digest == "106564a4bf06f047a4662979384313c22d9b4ca901e780f9e8419f8e5581adb1"


def test_every_answer_voted_on_has_its_traits_once():
    traits = [(row["model"], row["prompt"]) for row in table("llmfao/traits.csv")]
    shown = {(v[side], v["prompt"]) for v in table("llmfao/votes.csv") for side in ("left", "right")}

    assert sorted(traits) == sorted(shown)
    assert len(traits) == 750


def test_traits_are_those_of_the_registry():
    rows = table("llmfao/traits.csv")

    assert list(rows[0]) == ["model", "prompt", *measure("")]
    assert all(float(row[name]) >= 0 for row in rows for name in measure(""))
    assert (
        sum(float(row["length"]) == 0 for row in rows) == 55
    )  # nothing to read: 16 empty, 36 of line ends, 3 of a zero-width space


def test_every_prompt_voted_on_has_its_category():
    prompts = {row["prompt"]: row["category"] for row in table("llmfao/prompts.csv")}

    assert set(prompts) == {vote["prompt"] for vote in table("llmfao/votes.csv")}
    assert Counter(prompts.values()) == {"reflexion": 4, "creativity": 3, "knowledge": 3, "instruct": 3}


def test_llmfao_is_read_with_voters_and_the_traits_of_both_sides():
    reading = importers.read([DATA / "llmfao/votes.csv"])
    votes = reading.table

    assert (reading.tally.format, reading.tally.accepted, reading.tally.rejected) == ("llmfao", 8931, ())
    assert (len(votes), len(votes.models), len(votes.voters), len(votes.prompts)) == (8931, 59, 124, 13)
    assert votes.used.all()
    assert set(votes.traits) == set(measure(""))
    assert all(np.isfinite(values).all() for values in votes.traits.values())


def test_lmsys_counts_are_read_as_votes_without_sides():
    reading = importers.read([DATA / "lmsys_2024_08/counts.json"])

    assert reading.tally.accepted == reading.table.count.sum() == 1_670_250
    assert not reading.table.side_known.any()


def test_lmsys_counts_sum_to_the_votes():
    counts = json.loads((DATA / "lmsys_2024_08/counts.json").read_text(encoding="utf-8"))

    assert [sum(column) for column in zip(*counts["Y"], strict=True)] == [595_570, 498_305, 281_121, 295_254]
    assert len(counts["models"]) == len(set(counts["models"])) == 129
    assert len(counts["X"]) == len({tuple(pair) for pair in counts["X"]}) == 3460
    assert all(0 <= i < j < 129 for i, j in counts["X"])


def test_every_lmsys_model_has_an_official_rating():
    counts = json.loads((DATA / "lmsys_2024_08/counts.json").read_text(encoding="utf-8"))
    official = {row["model"]: float(row["rating"]) for row in table("lmsys_2024_08/official.csv")}

    assert list(official) == counts["models"]
    # As published: the anchor of the scale, and the leader of that day.
    assert official["mixtral-8x7b-instruct-v0.1"] == pytest.approx(1114)
    assert max(official, key=official.__getitem__) == "chatgpt-4o-latest"
    assert official["chatgpt-4o-latest"] == pytest.approx(1316.786, abs=0.001)


def test_the_bank_has_no_hole_no_repeat_and_no_empty_answer():
    cells = Counter((row["prompt_id"], row["model"]) for row in TEXTS)
    prompts = {row["prompt_id"] for row in TEXTS}

    assert set(cells) == {(prompt, model) for prompt in prompts for model in CHARACTERS.values()}
    assert set(cells.values()) == {1}
    assert len(prompts) == 29
    assert all(row["response"].strip() and row["prompt"].strip() for row in TEXTS)
    assert len({row["response"] for row in TEXTS}) == len(TEXTS)


def test_the_bank_passes_the_check_that_a_users_bank_must_pass():
    report = bank.check([DATA / "bank/bank.jsonl"], Roster.load(DATA / "bank/models.toml"))

    assert (report.problems, report.warnings) == ((), ())
    assert (report.prompts, report.answers, len(report.servable)) == (29, 145, 290)


def test_one_prompt_id_has_one_prompt_one_category_and_one_language():
    found = {(row["prompt_id"], row["prompt"], row["category"], row["language"]) for row in TEXTS}

    assert len(found) == len({row["prompt_id"] for row in TEXTS})
    assert all(re.fullmatch(r"[a-z]{2}(-[A-Z][a-z]{3})?", row["language"]) for row in TEXTS)
    assert {row["language"] for row in TEXTS} == {"en", "ar", "he", "ja", "zh-Hans", "fr", "de", "es"}
    assert len({row["category"] for row in TEXTS}) == 10


def test_no_text_names_a_model_or_provider():
    models = tomllib.loads((DATA / "bank/models.toml").read_text(encoding="utf-8"))["model"]
    names = [word for model in models for word in (model["name"], model["provider"], *model["aliases"])]
    stems = {re.split(r"[\W_]", name)[0].lower() for name in names}
    texts = (all_text("prompt") + all_text()).lower()

    assert [model["name"] for model in models] == list(CHARACTERS.values())
    assert len(stems) == 10
    assert not [stem for stem in stems if stem in texts]


@pytest.mark.parametrize(
    "pattern",
    [
        r"```python\n", r"```sql\n", r"```html\n", r"^\|[-: |]+\|$", r"\$\$.+?\$\$", r"\\\(.+?\\\)", r"\\\[\n",
        r"[\u0600-\u06ff]{3}", r"[\u0590-\u05ff]{3}", r"[\u3040-\u30ff]{3}", r"[\u4e00-\u9fff]{4}",
        "\U0001f468\u200d", r"&|<",
    ],
)  # fmt: skip
def test_the_bank_shows_what_a_page_must_be_able_to_show(pattern):
    assert re.search(pattern, all_text(), flags=re.MULTILINE)


def test_every_formula_is_set_and_leaves_no_source_behind():
    formulas = [formula for row in TEXTS for formula in tex(row["prompt"]) + tex(row["response"])]

    assert len(formulas) > 80
    assert not [formula for formula in formulas if re.search(r"\\[a-zA-Z]", convert(formula))]


@pytest.mark.parametrize("row", TEXTS, ids=lambda row: f"{row['prompt_id']}:{row['model']}")
def test_every_text_renders_without_a_loose_mark(row):
    for text in (row["prompt"], row["response"]):
        html = str(render(text))
        seen = re.sub(r"<annotation.*?</annotation>|<pre.*?</pre>|<code.*?</code>", "", html, flags=re.DOTALL)

        assert 'class="tex"' not in html  # a formula that could not be set
        assert not re.search(r"\$|\*\*|\\[a-zA-Z(\[]|^#", re.sub(r"<[^>]+>", "", seen), flags=re.MULTILINE)


def test_traits_of_the_bank_are_what_a_commonmark_parser_sees():
    for row in TEXTS:
        tokens = MarkdownIt("commonmark").parse(row["response"])
        inline = [child.type for token in tokens for child in token.children or []]
        blocks = Counter(token.type for token in tokens)
        traits = measure(row["response"])

        assert traits["headers"] == blocks["heading_open"]
        assert traits["lists"] == blocks["list_item_open"]
        assert traits["bold"] == inline.count("strong_open")


def test_the_models_differ_as_their_characters_say():
    mean = {
        model: {
            name: sum(measure(row["response"])[name] for row in TEXTS if row["model"] == model) / 29
            for name in measure("")
        }
        for model in CHARACTERS.values()
    }
    terse, long, careful = (mean[CHARACTERS[name]] for name in ("terse", "long", "careful"))

    assert terse["length"] * 2 < careful["length"] < long["length"] / 1.5
    assert long["headers"] > 4
    assert long["lists"] > 5
    assert careful["headers"] == terse["headers"] == 0


@pytest.mark.shared
def test_the_figures_are_made_from_their_sources(shared, tmp_path):
    counts = shared / "data/lmsys_arena_counts_20240814"

    llmfao.main(shared / "data/llmfao", tmp_path)
    lmsys.main(
        counts / "chatbotarena_20240814.json",
        counts / "published/lmsys_leaderboard_20240813_20240822.csv",
        tmp_path,
    )

    for name in ("llmfao/votes.csv", "llmfao/traits.csv", "llmfao/prompts.csv"):
        assert (tmp_path / Path(name).name).read_bytes() == (DATA / name).read_bytes()
    for name in ("lmsys_2024_08/counts.json", "lmsys_2024_08/official.csv"):
        assert (tmp_path / Path(name).name).read_bytes() == (DATA / name).read_bytes()
