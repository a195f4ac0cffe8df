"""``python -m benchmarks.gpu [--out DIR] [--parts NAMES] [--dry-run] [--pack]``."""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.gpu import pack
from benchmarks.gpu.environment import PackError
from benchmarks.gpu.parts import PARTS
from benchmarks.gpu.prepare import prepare_place
from benchmarks.gpu.processes import adopt_orphans
from benchmarks.gpu.run import run_parts
from benchmarks.gpu.session import ROOT

TOTAL = 480.0
"""Seconds for everything, the environment included, where no parts are named."""


def parse_parts(text: str) -> list[str]:
    """Names between commas, in the order of the parts; raises ArgumentTypeError."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in PARTS]
    if unknown or not names:
        message = f"{', '.join(unknown) or 'nothing'}: expected some of {','.join(PARTS)}"
        raise argparse.ArgumentTypeError(message)
    return [name for name in PARTS if name in names]


def parse_arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line of `sh dev.sh gpu`."""
    parser = argparse.ArgumentParser(prog="sh dev.sh gpu", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "gpu-results", metavar="DIR")
    parser.add_argument("--parts", type=parse_parts, metavar=",".join(PARTS))
    parser.add_argument("--wheels", type=Path, default=ROOT / "wheels", metavar="DIR")
    parser.add_argument("--dry-run", action="store_true", help="with stub libraries, on CPUs")
    parser.add_argument("--pack", action="store_true", help="make the folder of wheels")
    parser.add_argument("--own-wheel", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args(argv)


def main() -> int:
    """0 all as we say, 1 something is not, 2 wrong usage, 3 nothing could be run."""
    options = parse_arguments()
    try:
        if options.pack:
            return pack.make_pack(options.wheels, options.own_wheel)
        return measure(options)
    except (PackError, OSError) as error:
        print(f"dev.sh gpu: {error}", file=sys.stderr)
        return 3


def measure(options: argparse.Namespace) -> int:
    """Make the environment, run the parts, and leave nothing but the results."""
    began = time.monotonic()
    adopt_orphans()
    scratch = Path(tempfile.mkdtemp(prefix="gpu-run-"))
    try:
        place, results = prepare_place(
            scratch, options.out.resolve(), options.wheels.resolve(), dry_run=options.dry_run
        )
        return run_parts(place, results, options.parts, TOTAL - (time.monotonic() - began))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
