"""What stands in the parts of a backup: is it what an arena keeps there? Asked of all before the first byte is written."""

from __future__ import annotations

import hashlib
import io

import pyarrow as pa
import pyarrow.parquet as pq

from arena.archive import backup_records, columns
from arena.archive.backup_box import ARCHIVE, BANK, BROKEN, ROSTER, SECRET, STORE, Box
from arena.archive.backup_records import LONGEST_LINE, Odd
from arena.archive.manifest import ArchiveFile, Manifest
from arena.archive.partitions import MANIFEST
from arena.bank import reader
from arena.bank.roster import Roster
from arena.errors import BadInput
from arena.settings import bounds
from arena.settings.settings import SECRET_CHARACTERS
from arena.store.schema import STRINGS

LONGEST_SECRET = 1024
UNREADABLE = (*BROKEN, pa.ArrowException, LookupError, AttributeError, MemoryError)


def check(box: Box) -> None:
    """Raises `BadInput` for a part that no arena of ours has written."""
    fault = secret_fault(box.read(SECRET))
    if fault:
        raise box.refused(f"its secret {fault}")
    _check_store(box)
    for name in sorted(box.archived):
        collection, _, file = name.partition("/")
        if file == MANIFEST:
            _check_collection(box, collection)
        elif f"{collection}/{MANIFEST}" not in box.archived:
            raise box.refused(f"{name} belongs to no manifest")
    _check_bank(box)


def secret_fault(raw: bytes) -> str | None:
    """Why this is no secret to take over; None when it is one."""
    try:
        secret = raw.decode("ascii")
    except UnicodeDecodeError:
        return "holds letters that are not ASCII"
    if not SECRET_CHARACTERS <= len(secret) <= LONGEST_SECRET:
        return f"has {len(secret)} characters; {SECRET_CHARACTERS} to {LONGEST_SECRET} are right"
    if not secret.isprintable() or secret != secret.strip():
        return "holds control characters, or white space at an end"
    return None


def _check_store(box: Box) -> None:
    terms: list[str] = []
    entries = 0
    try:
        with box.lines(STORE, LONGEST_LINE) as lines:
            for key, _, value in backup_records.items(lines):
                entries += 1
                if key == STRINGS:
                    terms = [term.decode() for term in value]
        if entries != box.entries:
            raise Odd(f"it has {entries:,} entries, not {box.entries:,}")
        with box.lines(STORE, LONGEST_LINE) as lines:
            backup_records.check_names(backup_records.items(lines), terms)
    except UNREADABLE as error:
        raise box.refused(f"{STORE}: {error}") from None


def _check_collection(box: Box, collection: str) -> None:
    """The manifest names the parts that are there, no others, each as it was written and readable."""
    manifest = Manifest.parse(
        box.read(f"{ARCHIVE}{collection}/{MANIFEST}"), f"{box.path}: {collection}", collection
    )
    there = {name for name in box.archived if name.startswith(f"{collection}/")}
    named = {f"{collection}/{part.file}" for part in manifest.parts} | {f"{collection}/{MANIFEST}"}
    if there != named:
        raise box.refused(f"{sorted(there ^ named)[0]}: the manifest and the files are not the same")
    for part in manifest.parts:
        fault = _part_fault(box.read(f"{ARCHIVE}{collection}/{part.file}"), part, manifest)
        if fault:
            raise box.refused(f"{collection}/{part.file}: {fault}")


def _part_fault(raw: bytes, part: ArchiveFile, manifest: Manifest) -> str | None:
    if hashlib.sha256(raw).hexdigest() != part.sha256:
        return "is not as the manifest says"
    try:
        known = pq.ParquetFile(io.BytesIO(raw)).metadata
        size = sum(known.row_group(at).total_byte_size for at in range(known.num_row_groups))
        if size > bounds.now().unpacked(len(raw)) or known.num_rows != part.rows:
            return "has other rows or a larger size than it may have"
        if fault := bounds.now().rows_fault(known.num_rows):
            return fault
        votes = columns.from_arrow(columns.join([pq.read_table(io.BytesIO(raw))]), manifest.models)
    except UNREADABLE as error:
        return f"cannot be read: {str(error)[:200]}"
    return None if int(votes.count.sum()) == part.votes else "holds other votes than the manifest says"


def _check_bank(box: Box) -> None:
    if ROSTER in box.names:
        place = f"{box.path}: {ROSTER}"
        try:
            Roster.of(bounds.parse_toml(box.read(ROSTER), place), place)
        except UNREADABLE as error:
            raise box.refused(f"{ROSTER}: {error}") from None
    if BANK in box.names:
        with box.zip.open(BANK) as lines:
            for row in reader.parsed(lines, BANK):
                if not isinstance(row, reader.AnswerRow):
                    raise BadInput(f"{box.path}: {row}", [row])
