"""A refresh that fails is a fact in the store until one works; being second or having no votes is no failure."""

from __future__ import annotations

import pytest

from arena.errors import Busy, NoData
from ratings.commands.publish import noting_failure
from ratings.refresh.context import RefreshContext


def test_a_failure_is_noted_until_a_refresh_works(context: RefreshContext) -> None:
    with pytest.raises(ZeroDivisionError), noting_failure(context):
        raise ZeroDivisionError("division by zero")
    noted = context.store.worker.faults()

    with noting_failure(context):
        pass

    assert [(fault.part, fault.why) for fault in noted] == [
        ("refresh", "ZeroDivisionError: division by zero")
    ]
    assert noted[0].at == context.clock()
    assert context.store.worker.faults() == []
    assert context.store.worker.failures() == 1


@pytest.mark.parametrize("error", [Busy("another"), NoData("no votes")])
def test_neither_another_run_nor_no_votes_is_a_failure(context: RefreshContext, error: Exception) -> None:
    with pytest.raises(type(error)), noting_failure(context):
        raise error

    assert context.store.worker.faults() == []
