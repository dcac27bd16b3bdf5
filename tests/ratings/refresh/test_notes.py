"""A refresh that fails is a fact in the store until one works; being second or having no votes is no failure."""

from __future__ import annotations

import pytest

from arena.errors import Busy, NoData
from ratings.commands.publish import noting_failure
from ratings.refresh.job import Workshop


def test_a_failure_is_noted_until_a_refresh_works(workshop: Workshop) -> None:
    with pytest.raises(ZeroDivisionError), noting_failure(workshop):
        raise ZeroDivisionError("division by zero")
    noted = workshop.store.worker_faults()

    with noting_failure(workshop):
        pass

    assert [(fault.part, fault.why) for fault in noted] == [
        ("refresh", "ZeroDivisionError: division by zero")
    ]
    assert noted[0].at == workshop.clock()
    assert workshop.store.worker_faults() == []
    assert workshop.store.worker_failures() == 1


@pytest.mark.parametrize("error", [Busy("another"), NoData("no votes")])
def test_neither_another_run_nor_no_votes_is_a_failure(workshop: Workshop, error: Exception) -> None:
    with pytest.raises(type(error)), noting_failure(workshop):
        raise error

    assert workshop.store.worker_faults() == []
