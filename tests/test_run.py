"""`./run` really started: first start, second start, refusals, and the end that leaves no process and keeps every vote."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
import redis

from arena.store import embedded
from tests.conftest import PrivateStore
from tests.running import ROOT, STOP_SECONDS, Service, running

pytestmark = [
    pytest.mark.fault,
    pytest.mark.slow,
    pytest.mark.skipif(
        not (ROOT / ".venv" / "arena-stamp").exists(), reason="the environment is not one that ./run made"
    ),
]


@dataclass(frozen=True)
class Seen:
    """What two starts of one folder showed."""

    first_output: str
    second_output: str
    second_seconds: float
    statuses: dict[str, int]
    board: str
    board_again: str
    refused: subprocess.CompletedProcess[str]
    ended: tuple[int, int]
    left: list[str]
    secrets: tuple[str, str]
    marker: bytes | None
    home: Path
    address: str


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    service = Service(tmp_path_factory.mktemp("run") / "home")
    with running(service) as first:
        statuses = {path: service.get(path)[0] for path in ("/", "/leaderboard", "/healthz", "/readyz")}
        board = service.get("/api/v1/leaderboard")[1]
        refused = Service(service.home).try_to_start()
        with redis.Redis.from_url(embedded.url(service.home)) as client:
            client.set("marker", "kept")
        secret = (service.home / "secret").read_text()
        ended = service.stop()
    left = service.processes()
    began = time.monotonic()
    with running(service) as second:
        seconds = time.monotonic() - began
        board_again = service.get("/api/v1/leaderboard")[1]
        with redis.Redis.from_url(embedded.url(service.home)) as client:
            marker = client.get("marker")
        ended_again = service.stop(signal.SIGINT)
    return Seen(
        first_output=first,
        second_output=second,
        second_seconds=seconds,
        statuses=statuses,
        board=board,
        board_again=board_again,
        refused=refused,
        ended=(ended, ended_again),
        left=left + service.processes(),
        secrets=(secret, (service.home / "secret").read_text()),
        marker=marker,
        home=service.home,
        address=f"http://127.0.0.1:{service.port}/",
    )


def test_the_first_start_prints_its_address_and_answers(seen: Seen) -> None:
    assert f"Ready: {seen.address}" in seen.first_output
    assert seen.statuses == {"/": 200, "/leaderboard": 200, "/healthz": 200, "/readyz": 200}


def test_the_first_board_is_made_of_the_example_votes(seen: Seen) -> None:
    snapshot = json.loads(seen.board)["snapshot"]

    assert (snapshot["votes_used"], snapshot["models"], snapshot["voters"]) == (8931, 59, 124)


def test_the_secret_is_made_for_its_owner_alone_and_kept(seen: Seen) -> None:
    assert seen.secrets[0] == seen.secrets[1]
    assert stat.S_IMODE((seen.home / "secret").stat().st_mode) == 0o600


def test_a_second_run_on_the_same_folder_says_so_and_leaves(seen: Seen) -> None:
    assert (seen.refused.returncode, seen.refused.stdout) == (1, "")
    assert seen.refused.stderr.startswith(f"arena: already running on {seen.home}: {seen.address}")
    assert seen.refused.stderr.count("\n") == 1


def test_term_and_ctrl_c_end_everything(seen: Seen) -> None:
    assert seen.ended == (0, 0)
    assert seen.left == []


def test_the_second_start_keeps_everything_and_takes_seconds(seen: Seen) -> None:
    assert seen.marker == b"kept"
    assert seen.board_again == seen.board
    assert seen.second_seconds < 30


@pytest.mark.parametrize("before", [("nohup",), ("setsid", "--wait"), ("sh", "-c", '"$0" & wait')])
def test_it_stops_wherever_it_was_started_from(before: tuple[str, ...], tmp_path: Path) -> None:
    service = Service(tmp_path / "home", before=before, extra={"ARENA_DEMO": "0"})

    with running(service):
        os.kill(service.pid_of("arena.launch"), signal.SIGTERM)
        assert service.process is not None
        service.process.wait(STOP_SECONDS)

    assert service.processes() == []


def test_a_killed_store_comes_back_with_its_votes(tmp_path: Path) -> None:
    service = Service(tmp_path / "home", extra={"ARENA_DEMO": "0"})

    with running(service):
        with redis.Redis.from_url(embedded.url(service.home)) as client:
            client.set("marker", "kept")
        os.kill(service.pid_of("valkey-server"), signal.SIGKILL)
        while_down = service.get("/readyz")[0]
        time.sleep(4)
        with redis.Redis.from_url(embedded.url(service.home)) as client:
            marker = client.get("marker")
        after = service.get("/readyz")[0]

    assert (while_down, after, marker) == (503, 200, b"kept")


def test_a_killed_worker_stops_nothing_is_named_and_comes_back(tmp_path: Path) -> None:
    service = Service(tmp_path / "home", extra={"ARENA_DEMO": "0"})

    with running(service):
        web, worker = service.pid_of("gunicorn"), service.pid_of("refresh")
        os.kill(worker, signal.SIGKILL)
        time.sleep(4)
        ready, metrics = service.get("/readyz"), service.get("/metrics")
        after = service.pid_of("gunicorn"), service.pid_of("refresh")

    assert ready[0] == 200
    assert "the worker that ranks the votes fails" in str(ready[1])
    assert "arena_worker_failing 1.0" in str(metrics[1])
    assert after[0] == web
    assert after[1] != worker


def test_a_killed_launcher_takes_everything_with_it_and_the_next_start_works(tmp_path: Path) -> None:
    service = Service(tmp_path / "home", extra={"ARENA_DEMO": "0"})

    with running(service):
        assert service.process is not None
        service.process.kill()
        service.process.wait()
    left = service.left_after(8)

    with running(service):
        assert service.get("/readyz")[0] == 200
    assert left == []


def test_a_named_store_is_used_and_none_is_started(tmp_path: Path, own_server: PrivateStore) -> None:
    service = Service(tmp_path / "home", extra={"ARENA_DEMO": "0", "ARENA_REDIS_URL": own_server.url})

    with running(service) as output:
        started = [line for line in service.processes() if "valkey-server" in line]

    assert "ARENA_REDIS_URL names a store: using that one, starting none" in output
    assert started == []
    assert embedded.answers(own_server.home / "store.sock")


def test_a_named_store_that_is_down_is_said(tmp_path: Path) -> None:
    service = Service(tmp_path / "home", extra={"ARENA_REDIS_URL": f"unix://{tmp_path}/no-store.sock"})

    refused = service.try_to_start()

    assert refused.returncode == 1
    assert "error: the vote store is not available" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_taken_port_is_one_line(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]

        refused = Service(tmp_path / "home", port=port).try_to_start()

    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == (
        f"arena: PORT={port} on 127.0.0.1 is taken: stop what listens there, or choose another PORT\n"
    )


@pytest.mark.parametrize(
    ("extra", "line"),
    [
        ({"ARENA_HOME": "/dev/null/arena"}, "ARENA_HOME=/dev/null/arena cannot be written: Not a directory"),
        ({"HOST": "192.0.2.1"}, "HOST=192.0.2.1 is not an address of this machine"),
        ({"PORT": "web"}, "PORT=web is not a number from 1 to 65535"),
        ({"PORT": "65536"}, "PORT=65536 is not a number from 1 to 65535"),
    ],
)
def test_what_cannot_work_is_one_line(extra: dict[str, str], line: str, tmp_path: Path) -> None:
    refused = Service(tmp_path / "home", extra=extra).try_to_start()

    assert (refused.returncode, refused.stdout, refused.stderr) == (1, "", f"arena: {line}\n")
