"""The process that looks after a target, while nothing happens."""

import subprocess
import sys

SILENT = """
import os, select, socket, subprocess, sys, threading
from pipedoctor.tune.target.supervisor import Supervisor

waits = []
wait = select.select


def counted(*given):
    waits.append(given)
    return wait(*given)


select.select = counted
life, theirs = socket.socketpair()
out, into = os.pipe()
os.close(into)
with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as host:
    threading.Timer(1.0, theirs.close).start()
    Supervisor(life.fileno(), out, host, 0).run_until_closed()
    print(len(waits))
    host.kill()
"""


def test_it_rests_where_a_target_has_closed_its_output() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SILENT], capture_output=True, text=True, check=True
    )

    assert 1 < int(done.stdout) < 30  # ten in a second
