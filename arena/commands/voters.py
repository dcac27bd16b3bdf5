"""Commands about voters: how they vote, let their votes not count, forget them; votes not checked for robots."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import click
import numpy as np

from arena.archive import own_votes
from arena.archive.partitions import OWN
from arena.commands.context import CliContext, open_context
from arena.errors import BadInput
from arena.voters import behaviour, moderation
from arena.voters.captcha import CaptchaChecks


@click.command("voters")
@click.option("--all", "every", is_flag=True, help="Unremarkable voters as well.")
def list_voters(every: bool) -> None:
    """How voters of this arena vote: one side only, too fast, too regular. A reason to look, never a verdict."""
    with open_context() as context:
        table, own = own_votes.read_arrow(context.store, context.archive)
        dwell = np.array(own["dwell_seconds"].to_numpy(), dtype=np.float64)
        found = behaviour.behaviours(table, dwell)
        held = context.store.moderation.quarantined()
        click.echo(
            f"{len(found)} voters with {behaviour.FEWEST_VOTES} votes or more, {sum(bool(row.flags) for row in found)} remarkable"
        )
        for row in found:
            if row.flags or every:
                click.echo(
                    _line(row, context.store.visitors.visits(row.voter).skipped_share, row.voter in held)
                )


def _line(row: behaviour.Behaviour, skipped: float | None, is_held: bool) -> str:
    parts = [
        f"{row.voter}  {row.votes} votes",
        f"left {_percent(row.left_share)}",
        f"faster than {behaviour.FAST_SECONDS:g} s {_percent(row.fast_share)}",
        f"skipped {_percent(skipped)}",
        ", ".join(row.flags),
        "in quarantine" if is_held else "",
    ]
    return "  ".join(part for part in parts if part)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


release_option = click.option(
    "--release",
    metavar="ID",
    help="VOTER is a pseudonym, as an export of the votes of this release names him.",
)


@click.command()
@click.argument("voter")
@release_option
def forget(voter: str, release: str | None) -> None:
    """Cut every tie between VOTER and the votes, at once. The votes stay and count.

    VOTER is a hash as `voters` lists it, or with --release a pseudonym out of an export.
    """
    with open_context() as context:
        found = named(context, voter, release)
        done = moderation.forget(context.store, context.archive, found, by="command", clock=time.time)
        if not done:
            raise BadInput(
                f"no votes or visits of {voter!r} are known; a pseudonym out of an export needs its --release"
            )
    later = "" if done.everywhere else "; archived files follow at the next refresh"
    click.echo(f"forgotten{later}; what this cannot reach: {moderation.OUT_OF_REACH}")


def named(context: CliContext, voter: str, release: str | None) -> str:
    """The voter as the store knows him."""
    return voter if release is None else context.archive.who(context.store, context.release(release), voter)


@click.command()
@click.argument("voter")
@release_option
@click.option("--why", required=True, help="The reason, for the record; never a name.")
@click.option("--lift", is_flag=True, help="Let the votes count again.")
def quarantine(voter: str, release: str | None, why: str, lift: bool) -> None:
    """Let no vote of VOTER count until it is lifted. Nothing is deleted.

    VOTER is a hash as `voters` lists it, or with --release a pseudonym out of an export.
    """
    do = moderation.unquarantine if lift else moderation.quarantine
    with open_context() as context:
        do(context.store, named(context, voter, release), why=why, by="command", clock=time.time)
    click.echo("lifted" if lift else "quarantined; boards follow at the next refresh")


@click.group()
def unchecked() -> None:
    """Votes that could not be checked for robots: kept, and not counted until the owner accepts them."""


@unchecked.command("show")
def show_unchecked() -> None:
    """How the last hour's votes were checked, and how many unchecked ones wait."""
    with open_context() as context:
        checks = CaptchaChecks(**context.store.visitors.challenges(time.time()))
        votes = context.archive.votes(OWN, context.store)
        waiting = votes.excluded().get("challenge_unchecked", 0)
    click.echo(
        f"last hour: {checks.passed} passed, {checks.failed} failed, {checks.unchecked} unchecked"
        f" ({_percent(checks.share_unchecked)}){'; ALARM' if checks.alarm else ''}"
    )
    click.echo(f"waiting: {waiting:,} of {len(votes):,} votes")


@unchecked.command("accept")
@click.option(
    "--until",
    type=click.DateTime(),
    help="Only votes cast before this, UTC. Without it: before now.",
)
def accept_unchecked(until: datetime | None) -> None:
    """Let unchecked votes count, from the next refresh on; with an earlier --until later ones wait again."""
    at = time.time() if until is None else until.replace(tzinfo=UTC).timestamp()
    with open_context() as context:
        context.store.votes.accept_unchecked(at)
        context.record("accept_unchecked", {"until": round(at, 3)})
    click.echo("accepted; boards follow at the next refresh")
