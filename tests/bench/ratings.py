"""Time the rating engine on simulated votes, beside its peers where they are installed.

    python tests/bench/ratings.py --size M                    # ours alone
    python tests/bench/ratings.py --size M --peers arena-rank,evalica,choix,scikit-learn
    python tests/bench/ratings.py --size S --json             # one JSON object a line

Peers come from tests/bench/requirements.txt, best in an environment of their own (PEERS_PYTHON or --peers-python
names its interpreter). Every engine works in a process of its own, on the same votes. Times are of prepared votes,
with compiled code warm; fits are medians. The reference is an exact Newton fit in float64; for rounds, eight
rounds refitted so. sizes: S 33k votes of 400 voters on 20 models, M 1.7M/20k/130 (and M189k with 189k voters), L 10M/100k/400.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# This folder has a ratings.py of its own, which must not stand for the package.
sys.path[0] = str(ROOT)

import numpy as np  # noqa: E402

from tests.bench import peers, votes  # noqa: E402

ROUNDS = {"S": 1000, "M": 1000, "M189k": 1000, "L": 500}


@dataclass(frozen=True)
class Measurement:
    """One line of the report. Seconds on the clock and of all processors; the peak memory of the process so far."""

    size: str
    engine: str
    task: str
    seconds: float
    cpu_seconds: float
    rss_mb: float
    max_diff_elo: float | None


def main() -> int:
    options = _options()
    if options.worker:
        for line in _worker(options):
            print(json.dumps(asdict(line)), flush=True)
        return 0
    sizes = ["M", "M189k"] if options.size == "M" else [options.size]
    lines: list[Measurement] = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            votes.write(size, Path(folder))
            from tests.bench import ours

            ours.write_reference(Path(folder))
            for line in _measure(size, Path(folder), options):
                lines.append(line)
                _print(line, lines, options.json)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", choices=sorted(ROUNDS), default="S")
    parser.add_argument(
        "--peers", default="", help=f"comma-separated, of {', '.join(peers.PEERS)}; empty: none"
    )
    parser.add_argument(
        "--peers-python", default=sys.executable, help="interpreter of the peers' environment"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a measurement")
    parser.add_argument("--rounds", type=int, help="bootstrap rounds; 1000, at L 500")
    parser.add_argument(
        "--engine", choices=("compiled", "reference"), default="compiled", help="which of our two"
    )
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def _measure(size: str, folder: Path, options: argparse.Namespace) -> Iterator[Measurement]:
    """Each group of tasks in a process of its own, so that memory is told apart."""
    for group in ("prepare", "plain", "style"):
        yield from _run(sys.executable, size, folder, f"ours:{group}", options)
    for name in filter(None, options.peers.split(",")):
        yield from _run(options.peers_python, size, folder, f"{name}:all", options)


def _run(
    python: str, size: str, folder: Path, worker: str, options: argparse.Namespace
) -> Iterator[Measurement]:
    command = [
        python,
        __file__,
        "--size",
        size,
        "--worker",
        worker,
        "--folder",
        str(folder),
        "--engine",
        options.engine,
    ]
    if options.rounds is not None:
        command += ["--rounds", str(options.rounds)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    for text in done.stdout.splitlines():
        yield Measurement(**json.loads(text))
    if done.returncode:
        print(f"{worker}: failed\n{done.stderr[-2000:]}", file=sys.stderr)


def _worker(options: argparse.Namespace) -> Iterator[Measurement]:
    engine, _, group = options.worker.partition(":")
    rounds = ROUNDS[options.size] if options.rounds is None else options.rounds
    if engine == "ours":
        # Not above: the peers' environment need not hold what ours needs.
        from tests.bench import ours

        found = ours.tasks(options.folder, group, rounds, options.engine)
    else:
        found = peers.tasks(options.folder, engine)
    for task, taken, difference in found:
        yield Measurement(
            options.size, engine, task, taken.seconds, taken.cpu_seconds, votes.peak_mb(), difference
        )


def _print(line: Measurement, lines: list[Measurement], as_json: bool) -> None:
    if as_json:
        print(json.dumps(asdict(line)), flush=True)
        return
    base = next((x for x in lines if x.engine == "ours" and (x.size, x.task) == (line.size, line.task)), None)
    ratio = line.seconds / base.seconds if base else np.nan
    off = "" if line.max_diff_elo is None else f"{line.max_diff_elo:12.2g} Elo off"
    print(
        f"{line.size:6}{line.engine:14}{line.task:13}{line.seconds:10.3f} s {line.cpu_seconds:10.3f} CPU-s "
        f"{ratio:8.1f} x {line.rss_mb:7.0f} MB{off}",
        flush=True,
    )


if __name__ == "__main__":
    raise SystemExit(main())
