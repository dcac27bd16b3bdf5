"""Makes the figures of this folder from their public sources: python -m data.lmsys_2024_08.make COUNTS RATINGS

COUNTS is leaderbot's chatbotarena_20240814.json; RATINGS is a CSV file with the columns key, rating and date, the
ratings as LMSYS published them, of which those dated 20240822 are kept.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
DAY = "20240822"


def main(counts: Path, ratings: Path, target: Path = HERE) -> None:
    """Write counts.json (the same object, one pair a line) and official.csv into `target`."""
    content = json.loads(counts.read_text(encoding="utf-8"))
    parts = [
        f'"models": {_lines(content["models"])}',
        f'"X": {_lines(content["X"])}',
        f'"Y": {_lines(content["Y"])}',
    ]
    (target / "counts.json").write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")
    with ratings.open(encoding="utf-8", newline="") as file:
        official = {row["key"]: float(row["rating"]) for row in csv.DictReader(file) if row["date"] == DAY}
    with (target / "official.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["model", "rating"])
        writer.writerows([model, official[model]] for model in content["models"])


def _lines(items: list[object]) -> str:
    return "[\n" + ",\n".join(json.dumps(item) for item in items) + "]"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
