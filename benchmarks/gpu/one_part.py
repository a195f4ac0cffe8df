"""One part as a process of its own: ``python -m benchmarks.gpu.one_part FILE NAME SECONDS``."""

import json
import sys
import time
import traceback
from pathlib import Path

from benchmarks.gpu.parts import PARTS, load_part
from benchmarks.gpu.processes import adopt_orphans
from benchmarks.gpu.results import WRONG, Table
from benchmarks.gpu.session import Place, Session

NOT_THERE = 4


def main(argv: list[str]) -> int:
    """Run the part; a bug in it is a row of the page, too."""
    file, name, seconds = argv
    place = Place(**json.loads(Path(file).read_text("utf-8")))
    adopt_orphans()
    session = Session(place, name, time.monotonic() + float(seconds))
    measure = load_part(name)
    if measure is None:
        return NOT_THERE
    session.results.begin_part(name, PARTS[name].title)
    try:
        measure(session)
    except Exception as error:  # noqa: BLE001  (what it has found so far stays)
        session.results.log(traceback.format_exc())
        row = [f"{type(error).__name__}: {error}"[:300], WRONG]
        session.results.put_table(name, Table("This part stopped", ("why", ""), [row]))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
