#!/usr/bin/env python3
"""agreement.py FOLDER...: how far the emulator's counts are a GPU's.

Reads the CSV files in the folders, as 'sweep run' with counters and 'sweep report --format csv'
write them. Prints for each metric that has both figures how many points were compared, how many
agree, and each one that does not."""

import csv
import pathlib
import sys

RELATIVE = 0.005  # of the hardware's count
RATE = 5.0  # percentage points, for metrics in %


def find_metrics(columns):
    """The metrics with both origins, as (name, emulated column, hardware column, is in %)."""
    metrics = []
    for column in columns:
        name, dot, rest = column.partition(".hardware")
        emulated = name + ".emulated"
        # What is counted for a request follows from the counts.
        if dot and not rest and emulated in columns and not name.endswith("_per_request"):
            metrics.append((name, emulated, column, name.endswith("_rate")))
    return metrics


def configuration_of(row):
    """What the columns before the point's status say: "transpose SIZE=512"."""
    words = []
    for column, value in row.items():
        if column == "status":
            break
        if value:
            words.append(value if column == "pattern" else f"{column}={value}")
    return " ".join(words)


class Metric:
    def __init__(self):
        self.compared = 0
        self.exceptions = []  # (distance, line)

    def compare(self, point, emulated, hardware, is_rate):
        self.compared += 1
        difference = emulated - hardware
        distance = abs(difference)
        if not is_rate:
            distance = distance / hardware if hardware else float("inf") if difference else 0.0
        if distance <= (RATE if is_rate else RELATIVE):
            return
        line = f"{point}: {emulated:,.10g} emulated, {hardware:,.10g} counted"
        if is_rate:
            line += f", {difference:+.1f} points"
        elif hardware:
            line += f", {difference / hardware:+.2%}"
        self.exceptions.append((distance, line))


def read(folders):
    metrics = {}
    files = points = failed = 0
    for file in sorted(path for folder in folders for path in pathlib.Path(folder).rglob("*.csv")):
        with open(file, newline="", encoding="utf-8") as stream:
            reader = csv.DictReader(stream)
            both = find_metrics(reader.fieldnames or [])
            if not both:
                continue
            files += 1
            for row in reader:
                if row.get("status") != "ok":
                    failed += 1
                    continue
                points += 1
                point = configuration_of(row)
                for name, emulated, hardware, is_rate in both:
                    if row[emulated] and row[hardware]:
                        metric = metrics.setdefault(name, Metric())
                        metric.compare(point, float(row[emulated]), float(row[hardware]), is_rate)
    return metrics, files, points, failed


def main(folders):
    if not folders or folders[0].startswith("-"):
        sys.exit(__doc__)
    for folder in folders:
        if not pathlib.Path(folder).is_dir():
            sys.exit(f"agreement.py: there is no folder {folder}")
    try:
        metrics, files, points, failed = read(folders)
    except (OSError, ValueError) as error:
        sys.exit(f"agreement.py: {error}")
    if not metrics:
        sys.exit("agreement.py: no CSV file there has counts of both the hardware and the emulator")
    left_out = f"; {failed} failed, and are left out" if failed else ""
    print(f"{points} points of {files} files{left_out}\n")
    print(f"| metric | points | within {RELATIVE:.1%} (rates: {RATE:g} points) | exceptions |")
    print("|---|---|---|---|")
    for name, metric in metrics.items():
        agree = metric.compared - len(metric.exceptions)
        print(f"| {name} | {metric.compared} | {agree} | {len(metric.exceptions) or ''} |")
    for name, metric in metrics.items():
        if metric.exceptions:
            print(f"\n{name}, the furthest off first:")
            for _, line in sorted(metric.exceptions, key=lambda exception: -exception[0]):
                print(f"- {line}")


if __name__ == "__main__":
    main(sys.argv[1:])
