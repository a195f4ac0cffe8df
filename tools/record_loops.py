"""
Record one training loop of each cause for the tests: ``python tools/record_loops.py [NAMES]``.

Each is run, watched for some seconds from outside, and written redacted to
``tests/watch/recordings/NAME.jsonl``. ``expected.json`` there holds what is true of it: the
cause, and the line at fault in the loops' source as it was then.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.watch.loops.scores import (  # noqa: E402  (the path comes first)
    LABELS,
    ONE_OF_EACH,
    RECORDINGS,
    find_marked_lines,
    score,
)


def remove_machine_paths(file: Path) -> None:
    """What is nobody's secret, and yet of one machine alone: where this project lies."""
    text = file.read_text("utf-8")
    for path, name in ((sys.prefix, "/opt/python"), (f"{ROOT}/", ""), (str(ROOT), ".")):
        text = text.replace(path, name)
    file.write_text(text, "utf-8")
    file.chmod(0o644)


def main() -> None:
    """Record the loops that are named, else one of each cause."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *LABELS], metavar="NAME")
    names = parser.parse_args().names or ONE_OF_EACH
    RECORDINGS.mkdir(exist_ok=True)
    index = RECORDINGS / "expected.json"
    expected: dict[str, Any] = json.loads(index.read_text("utf-8")) if index.exists() else {}
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            file = RECORDINGS / f"{name}.jsonl"
            result = score(name, Path(folder), record=file)
            remove_machine_paths(file)
        right = "right" if result.right and result.line_right is not False else "WRONG"
        print(f"{name}: {result.verdict} line {result.line}: {right}")
        expected[name] = {
            "verdict": f"bottleneck-{LABELS[name]}",
            "line": find_marked_lines().get(name),
        }
        text = json.dumps(dict(sorted(expected.items())), indent=2)
        index.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
