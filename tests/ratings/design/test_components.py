"""Components of the win graph, which side of the board a separated model lies on, and voters who hold models alone."""

from __future__ import annotations

import numpy as np

from ratings.design.components import Components, cuts, split


def graph(models: int, edges: list[tuple[int, int]], votes: list[int] | None = None) -> Components:
    """From (winner, loser) pairs."""
    winner, loser = np.array(edges, dtype=np.int32).reshape(-1, 2).T
    return split(models, winner, loser, np.array(votes or [10] * models))


def test_models_in_a_cycle_are_one_component() -> None:
    found = graph(3, [(0, 1), (1, 2), (2, 0)])

    assert found.component.tolist() == [0, 0, 0]
    assert found.on_board().all()


def test_the_largest_component_of_a_piece_is_its_board() -> None:
    found = graph(5, [(0, 1), (1, 0), (2, 3), (3, 4), (4, 2), (0, 2)])

    assert found.component.tolist() == [1, 1, 0, 0, 0]
    assert found.piece.tolist() == [0] * 5
    assert found.on_board().tolist() == [False, False, True, True, True]


def test_members_are_those_of_the_component_and_no_other() -> None:
    found = graph(6, [(0, 1), (1, 0), (2, 3), (3, 4), (4, 2), (0, 2)], votes=[10, 10, 10, 10, 10, 0])

    assert [found.members(number).tolist() for number in range(found.count)] == [[2, 3, 4], [0, 1]]
    assert found.component[5] == found.piece[5] == -1


def test_of_equal_components_the_one_with_more_votes_is_the_board() -> None:
    found = graph(4, [(0, 1), (1, 0), (2, 3), (3, 2), (0, 2)], votes=[5, 5, 9, 9])

    assert found.on_board().tolist() == [False, False, True, True]


def test_who_beats_the_board_through_others_is_above_it() -> None:
    # 3 beats 4, 4 beats the board; 5 is beaten by the board.
    found = graph(6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 0), (1, 5)])

    assert found.above.tolist() == [False, False, False, True, True, False]
    assert found.below.tolist() == [False, False, False, False, False, True]


def test_without_a_chain_a_model_is_neither_above_nor_below() -> None:
    # 3 and the board have only beaten 4: nothing orders them.
    found = graph(5, [(0, 1), (1, 2), (2, 0), (0, 4), (3, 4)])

    assert not found.above[3]
    assert not found.below[3]
    assert found.below[4]


def test_a_chain_has_no_board_and_nobody_is_above_or_below_it() -> None:
    found = graph(4, [(0, 1), (1, 2), (2, 3)], votes=[1, 2, 2, 1])

    assert found.board.tolist() == [-1]
    assert not (found.on_board() | found.above | found.below).any()


def test_islands_have_boards_of_their_own() -> None:
    found = graph(4, [(0, 1), (1, 0), (2, 3), (3, 2)])

    assert found.piece.tolist() == [0, 0, 1, 1]
    assert found.on_board().all()
    assert found.count == 2


def test_models_without_votes_have_no_component() -> None:
    found = graph(3, [(0, 1), (1, 0)], votes=[5, 5, 0])

    assert found.component.tolist() == [0, 0, -1]
    assert found.on_board().tolist() == [True, True, False]


def test_a_voter_alone_on_the_only_pair_of_a_model_cuts_it_off() -> None:
    (cut,) = cuts(3, np.array([0, 1]), np.array([1, 2]), np.array([-1, 7]), np.array([9, 9, 1]))

    assert cut.voter == 7
    assert cut.rest.tolist() == [True, True, False]


def test_a_voter_with_a_way_round_cuts_nothing() -> None:
    # A triangle: the voter alone on one side of it is not needed.
    found = cuts(3, np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([-1, -1, 7]), np.array([9, 9, 9]))

    assert found == []


def test_a_voter_alone_on_several_pairs_can_cut_with_all_of_them() -> None:
    # Model 3 hangs on two pairs, both of voter 7.
    pairs_a, pairs_b = np.array([0, 1, 0, 1]), np.array([1, 2, 3, 3])

    (cut,) = cuts(4, pairs_a, pairs_b, np.array([-1, -1, 7, 7]), np.array([9, 9, 9, 2]))

    assert cut.rest.tolist() == [True, True, True, False]


def test_when_a_voter_splits_a_board_the_larger_half_is_the_rest() -> None:
    # 0-1-2 and 3-4, joined by voter 7 alone.
    pairs_a, pairs_b = np.array([0, 1, 2, 3]), np.array([1, 2, 3, 4])

    (cut,) = cuts(5, pairs_a, pairs_b, np.array([-1, -1, 7, -1]), np.array([9] * 5))

    assert cut.rest.tolist() == [True, True, True, False, False]
