"""Two ranks of one job, as torchrun starts them, for the loops of jobs.py."""

import os
import signal
import socket
import subprocess
import sys

import torch


def join_ranks() -> None:
    """One rank of two."""
    torch.distributed.init_process_group("gloo")


def launch_ranks() -> None:
    """Start two ranks, as torchrun does; say what the clock of the last one saw."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    more = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": "2"}
    ranks = [
        subprocess.Popen(
            [sys.executable, *sys.argv],
            env=os.environ | more | {"RANK": str(rank)},
            stdout=subprocess.PIPE,
        )
        for rank in range(2)
    ]
    for rank in ranks:
        assert rank.stdout is not None
        rank.stdout.readline()

    def end(number: int, _: object) -> None:
        for rank in ranks:
            rank.send_signal(number)

    signal.signal(signal.SIGUSR1, end)
    sys.stdout.write(f"{os.getpid()}\n")
    sys.stdout.flush()
    assert ranks[1].stdout is not None
    sys.stdout.write(ranks[1].stdout.readline().decode())
    sys.stdout.flush()
    for rank in ranks:
        rank.kill()
