"""What a cross-reference of one board and one benchmark found, and what was known when it was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from arena.votes import VoteTable
from ratings.benchmarks.methods.ceiling import Saturation
from ratings.benchmarks.reports.score_table import SelectionBias
from ratings.benchmarks.results.card import Card
from ratings.benchmarks.results.results import Policy
from ratings.crossref.association import Association
from ratings.crossref.exchange import Exchange
from ratings.crossref.groups import GroupFits
from ratings.crossref.items import ItemFits
from ratings.crossref.join import Join
from ratings.crossref.models import ModelLine
from ratings.crossref.pairs import PairTable
from ratings.crossref.prompts import SharedTexts
from ratings.crossref.redundancy import RatingsGivenCapability, Table
from ratings.diagnostics.held_out import HeldOut
from ratings.leaderboard import Plan


@dataclass(frozen=True)
class Known:
    """What is known beside ratings and results. What is left out is not done, and the findings say so."""

    aliases: Mapping[str, str] = field(default_factory=dict)  # other name -> the board's name
    families: Mapping[str, str] | None = None  # the board's name -> family; None: by the names' prefix
    errors: Policy = "zero"  # how failed attempts enter a score
    votes: tuple[VoteTable, Plan] | None = None  # behind the ratings, to be foretold
    others: Table = field(default_factory=dict)  # other benchmarks -> model -> score, by any known name
    card: Card | None = None
    tries: int | None = None  # configurations tried before the best was reported, private ones too
    texts: SharedTexts | None = None
    seed: int = 0


@dataclass(frozen=True)
class FamilyOfTests:
    """One family of tests: how many, and how their multiplicity is minded."""

    name: str
    tests: int
    correction: str


@dataclass(frozen=True)
class CrossReference:
    """What people's ratings and a benchmark say of the same models. None where not asked, or with its reason in `notes`."""

    benchmark: str
    join: Join
    items: int | None  # that every shared model has; None: only scores are known
    errors: Policy
    models: tuple[ModelLine, ...]  # best rating first
    association: Association
    pairs: PairTable
    exchange: Exchange | None
    votes: HeldOut | None
    groups: GroupFits | None
    item_fits: ItemFits | None
    redundancy: RatingsGivenCapability | None
    selection: SelectionBias | None
    saturation: Saturation | None
    ceiling_known: bool  # the card states a label error rate; else the ceiling is taken as 1
    tied_with_best: int | None  # shared models that paired tests cannot tell from the best, itself included
    texts: SharedTexts | None
    tests: tuple[FamilyOfTests, ...]
    not_done: tuple[str, ...]
    notes: tuple[str, ...]
