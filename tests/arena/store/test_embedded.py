"""The embedded store is durable, private, alone on its folder, and survives a kill."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
import redis

from arena.errors import Busy, StoreUnavailable
from arena.store import embedded
from tests.conftest import PrivateStore


def connect(home: Path) -> redis.Redis:
    return redis.Redis.from_url(embedded.url(home), decode_responses=True)


def test_the_running_server_reports_what_keeps_a_vote(store_server: PrivateStore) -> None:
    with connect(store_server.home) as client:
        found = {name: client.config_get(name)[name] for name in embedded.DURABLE}

    assert found == dict(embedded.DURABLE)
    assert (found["appendonly"], found["appendfsync"], found["maxmemory-policy"]) == (
        "yes",
        "always",
        "noeviction",
    )


def test_it_listens_on_no_port_and_on_a_socket_of_its_owner(store_server: PrivateStore) -> None:
    with connect(store_server.home) as client:
        assert client.config_get("port") == {"port": "0"}

    assert stat.S_IMODE((store_server.home / "store.sock").stat().st_mode) == 0o600
    assert stat.S_IMODE((store_server.home / "store").stat().st_mode) == 0o700


@pytest.mark.fault
def test_kill_9_loses_no_acknowledged_write(own_server: PrivateStore) -> None:
    with connect(own_server.home) as client:
        for number in range(1000):
            client.rpush("list", number)
        own_server.kill()

    own_server.start()

    with connect(own_server.home) as client:
        assert client.lrange("list", 0, -1) == [str(number) for number in range(1000)]


@pytest.mark.fault
def test_a_torn_last_write_does_not_keep_it_from_starting(own_server: PrivateStore) -> None:
    with connect(own_server.home) as client:
        client.set("kept", 1)
    own_server.kill()
    log = max((own_server.home / "store" / "appendonlydir").glob("*.incr.aof"))
    with log.open("ab") as file:
        file.write(b"*3\r\n$3\r\nSET\r\n$4\r\nto")

    own_server.start()

    with connect(own_server.home) as client:
        assert client.get("kept") == "1"


def test_a_second_server_on_the_same_folder_is_refused(own_server: PrivateStore) -> None:
    with pytest.raises(Busy, match="already runs"):
        embedded.start(own_server.home)

    assert embedded.answers(own_server.home / "store.sock")


def test_a_path_too_long_for_a_socket_works(tmp_path: Path) -> None:
    home = tmp_path / ('a "quoted" long name' * 7)
    home.mkdir()

    server = embedded.start(home)

    try:
        with connect(home) as client:
            assert client.ping()
        assert (home / "store.sock").is_socket()
    finally:
        embedded.stop(server)
        embedded.socket_path(home).parent.unlink()


def test_a_foreign_link_in_the_way_is_not_followed(tmp_path: Path) -> None:
    home = tmp_path / ("long" * 30)
    link = embedded.socket_path(home).parent
    link.unlink()
    link.symlink_to(tmp_path)

    try:
        with pytest.raises(StoreUnavailable, match="choose a shorter ARENA_HOME"):
            embedded.socket_path(home)
    finally:
        link.unlink()


def test_a_broken_store_says_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match=r"did not start: .*store\.log"):
        embedded.start(tmp_path, options={"maxmemory-policy": "no-such-policy"})


def test_a_named_binary_is_taken_and_never_replaced(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="is not a program"):
        embedded.server_binary(tmp_path / "no-server")

    assert embedded.server_binary(Path("/bin/sh")) == Path("/bin/sh")


def test_the_locked_wheel_brings_a_binary() -> None:
    assert os.access(embedded.server_binary(), os.X_OK)


@pytest.mark.fault
@pytest.mark.skipif(sys.platform != "linux", reason="the kernel ends it on Linux only")
def test_it_ends_with_a_killed_parent(tmp_path: Path) -> None:
    script = "import sys, time; from pathlib import Path; from arena.store import embedded\n"
    script += f"print(embedded.start(Path({str(tmp_path)!r})).pid, flush=True); time.sleep(60)"
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())

    parent.send_signal(signal.SIGKILL)
    parent.communicate()

    deadline = time.monotonic() + 10
    while embedded.answers(tmp_path / "store.sock") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not embedded.answers(tmp_path / "store.sock"), f"process {pid} still answers"
