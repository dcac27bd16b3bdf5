"""The first release at the start of the service. Light to load: every later start only finds that it is there."""

from __future__ import annotations

import click

from arena.settings import settings
from arena.store.store import Store
from ratings.commands import console
from ratings.releases.folder import open_storage


@click.command("first-release")
@click.pass_context
def first_release(context: click.Context) -> None:
    """Rank the votes if nothing was published yet: `refresh --if-none`, but quick when there is nothing to do."""
    values = settings.load()
    store = Store.open(values.store_url, timeout_seconds=values.redis_timeout_seconds)
    try:
        is_there = open_storage(values.shelf, store.releases).current() is not None
    finally:
        store.close()
    if is_there:
        console.say("there is a release already")
        return
    group = context.find_root().command
    assert isinstance(group, click.Group)
    refresh = group.get_command(context, "refresh")
    assert refresh is not None
    context.invoke(refresh, if_none=True, publish_empty=False, scheduler=None, watch=False)
