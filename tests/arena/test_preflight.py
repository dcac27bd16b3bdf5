"""What can be refused early is refused in one line; a lock keeps two services off one folder."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from arena import preflight
from arena.preflight import CannotStart


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:80/"),
        ("arena.example", "http://arena.example:80/"),
        ("::1", "http://[::1]:80/"),
    ],
)
def test_the_address_is_one_that_a_browser_takes(host: str, address: str) -> None:
    assert preflight.address(host, 80) == address


def test_a_new_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    preflight.check_folder(tmp_path / "deep" / "home")

    assert (tmp_path / "deep" / "home").stat().st_mode & 0o777 == 0o700


def test_a_folder_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(CannotStart, match="cannot be written: Not a directory"):
        preflight.check_folder(tmp_path / "file" / "home")


def test_a_taken_port_is_refused_and_a_free_one_is_not() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
        other.listen()

        with pytest.raises(CannotStart, match=f"PORT={port} on 127.0.0.1 is taken"):
            preflight.check_port("127.0.0.1", port)
    preflight.check_port("127.0.0.1", port)


def test_a_port_taken_on_another_address_only_is_free() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.2", 0))
        other.listen()

        preflight.check_port("127.0.0.1", other.getsockname()[1])


@pytest.mark.parametrize("host", ["no such host", "x" * 70])
def test_a_name_that_is_no_address_is_refused(host: str) -> None:
    with pytest.raises(CannotStart, match="is not an address"):
        preflight.check_port(host, 8000)


@pytest.mark.slow
def test_a_held_folder_names_its_holder(tmp_path: Path) -> None:
    with (
        preflight.hold(tmp_path, "http://127.0.0.1:8000/ (process 7)"),
        pytest.raises(CannotStart, match=r"already running on .*: http://127.0.0.1:8000/ \(process 7\)"),
    ):
        preflight.check(tmp_path, "127.0.0.1", 0)
    preflight.check(tmp_path, "127.0.0.1", 0)


def test_the_note_of_an_earlier_holder_is_replaced(tmp_path: Path) -> None:
    with preflight.hold(tmp_path, "a long note of an earlier holder"):
        pass

    with preflight.hold(tmp_path, "short"):
        assert (tmp_path / "run.lock").read_text() == "short"
