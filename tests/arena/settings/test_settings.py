"""Settings come from the environment, refuse what they do not know, and keep the secret secret."""

from __future__ import annotations

import logging
import os
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.errors import BadInput
from arena.settings.settings import ROOT, Settings, ensure_secret, load, secret_key, variable
from arena.store import embedded


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("ARENA_") or name in ("HOST", "PORT"):
            monkeypatch.delenv(name)


def test_without_environment_everything_lies_in_var_and_listens_at_home() -> None:
    values = load()

    assert (values.home, values.host, values.port) == (ROOT / "var", "127.0.0.1", 8000)
    assert values.store_url == embedded.url(ROOT / "var")


def test_the_environment_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path))
    monkeypatch.setenv("HOST", "[::1]")
    monkeypatch.setenv("PORT", "8123")
    monkeypatch.setenv("ARENA_DEMO", "0")
    monkeypatch.setenv("ARENA_REDIS_URL", "redis://store:6379/0")

    values = load()

    assert (values.home, values.host, values.port, values.demo) == (tmp_path, "::1", 8123, False)
    assert values.store_url == "redis://store:6379/0"
    assert values.archive_url == str(tmp_path / "archive")


def test_an_empty_variable_is_an_unset_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_REDIS_URL", "")

    assert load().redis_url is None


def test_a_relative_home_becomes_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)

    assert Settings(home=Path("here/../there")).home == tmp_path / "there"


@pytest.mark.parametrize(
    ("name", "value"),
    [("PORT", "70000"), ("PORT", "web"), ("ARENA_DEMO", "perhaps"), ("ARENA_REFRESH_AT", "25:00")],
)
def test_a_wrong_value_is_one_line_that_names_the_variable(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(BadInput) as error:
        load()

    assert str(error.value).startswith(f"{name}={value}: ")
    assert "\n" not in str(error.value)


def test_an_unknown_name_is_reported(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("ARENA_PROT", "80")

    with caplog.at_level(logging.WARNING):
        load()

    assert "ARENA_PROT" in caplog.text


def test_secrets_do_not_show_in_print(tmp_path: Path) -> None:
    values = Settings(home=tmp_path, secret="s" * 43, admin_token="open sesame, open")

    assert "sss" not in repr(values)
    assert "sesame" not in repr(values)


def test_the_secret_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    values = Settings(home=tmp_path / "new")

    first, second = ensure_secret(values), ensure_secret(values)

    assert first == second == secret_key(values)
    assert len(first) == 43
    assert stat.S_IMODE((tmp_path / "new" / "secret").stat().st_mode) == 0o600


def test_many_first_starts_at_once_share_one_secret(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        keys = set(pool.map(lambda _: ensure_secret(Settings(home=tmp_path)), range(64)))

    assert len(keys) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


def test_two_homes_have_two_secrets(tmp_path: Path) -> None:
    assert ensure_secret(Settings(home=tmp_path / "a")) != ensure_secret(Settings(home=tmp_path / "b"))


def test_a_given_secret_wins_and_leaves_no_file(tmp_path: Path) -> None:
    assert ensure_secret(Settings(home=tmp_path, secret="k" * 32)) == "k" * 32
    assert list(tmp_path.iterdir()) == []


def test_a_short_secret_is_refused_without_showing_it(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="ARENA_SECRET has 5 characters"):
        secret_key(Settings(home=tmp_path, secret="hush!"))


def test_no_secret_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"python -m arena setup"):
        secret_key(Settings(home=tmp_path))


def test_run_and_procfile_have_the_defaults_of_the_settings() -> None:
    fields = Settings.model_fields
    text = (ROOT / "run").read_text() + (ROOT / "Procfile").read_text()

    found = set(re.findall(r"\$\{(HOST|PORT|ARENA_WEB_WORKERS|ARENA_WEB_THREADS):-([^}]*)\}", text))

    assert found == {
        (variable(name), str(fields[name].default)) for name in ("host", "port", "web_workers", "web_threads")
    }


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            {"URL": "ftp://check"},
            "ARENA_CHALLENGE_URL=ftp://check: it must be an http:// or https:// address",
        ),
        ({"URL": "https://check; x"}, "it must be an http:// or https:// address"),
        ({"URL": "https://check"}, "ARENA_CHALLENGE_URL is set, so ARENA_CHALLENGE_SECRET is needed too"),
        (
            {"SCRIPT": "https://check/a.js"},
            "ARENA_CHALLENGE_SCRIPT and ARENA_CHALLENGE_SITE_KEY are set both",
        ),
        ({"TIMEOUT_SECONDS": "0"}, "ARENA_CHALLENGE_TIMEOUT_SECONDS=0: "),
    ],
)
def test_a_half_set_check_against_robots_is_refused(
    monkeypatch: pytest.MonkeyPatch, values: dict[str, str], said: str
) -> None:
    for name, value in values.items():
        monkeypatch.setenv(f"ARENA_CHALLENGE_{name}", value)

    with pytest.raises(BadInput, match=re.escape(said)) as caught:
        load()

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("token", ["fifteen letters", "blank at the end ", "sixteen létters!"])
def test_a_weak_owner_token_is_refused_without_showing_it(
    monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("ARENA_ADMIN_TOKEN", token)

    with pytest.raises(BadInput, match=r"^ARENA_ADMIN_TOKEN: ") as error:
        load()

    assert token not in str(error.value)
