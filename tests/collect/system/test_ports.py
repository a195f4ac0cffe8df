"""The ports section: of made-up tables, and of sockets that really listen."""

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipedoctor.collect.machine import Machine
from pipedoctor.collect.system.ports import list_listeners, ports
from pipedoctor.facts import Listener, Ports, UnreadableError

HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr ... uid timeout inode\n"
LINE = "   {}: {} 00000000:0000 {} 0:0 00:0 0  1000        0 {} 1 0000 100 0 0 10 0\n"
V4 = "0100007F:733C"
"""127.0.0.1:29500"""
V6 = "00000000000000000000000000000000:1770"
"""[::]:6000"""

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux only")


def quiet(_: str) -> None:
    """Nothing here hangs."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    net = tmp_path / "proc/self/net"
    net.mkdir(parents=True)
    rows = [("0", V4, "0A", "71"), ("1", "0100007F:0016", "01", "72")]
    (net / "tcp").write_text(HEAD + "".join(LINE.format(*row) for row in rows))
    (net / "tcp6").write_text(HEAD + LINE.format("0", V6, "0A", "73"))
    return tmp_path


def held(root: Path, pid: int, inode: str, command: str) -> None:
    (root / f"proc/{pid}/fd").mkdir(parents=True)
    (root / f"proc/{pid}/fd/3").symlink_to(f"socket:[{inode}]")
    (root / f"proc/{pid}/fd/4").symlink_to("/dev/null")
    (root / f"proc/{pid}/comm").write_text(f"{command}\n")


def made_up(root: Path, **environ: str) -> Machine:
    return Machine(root=root, system="linux", environ=environ)


def test_who_listens_and_nobody_else(root: Path) -> None:
    held(root, 812, "71", "python")

    assert list_listeners(made_up(root), quiet).listening == (
        Listener(port=6000),
        Listener(port=29500, pid=812, command="python"),
    )


def test_without_ipv6_there_are_still_ports(root: Path) -> None:
    (root / "proc/self/net/tcp6").unlink()

    assert list_listeners(made_up(root), quiet).listening == (Listener(port=29500),)


def test_the_same_port_for_both_families_is_one(root: Path) -> None:
    row = LINE.format("1", f"{V6[:32]}:733C", "0A", "74")
    (root / "proc/self/net/tcp6").write_text(HEAD + row)
    held(root, 812, "71", "python")

    (one,) = list_listeners(made_up(root), quiet).listening

    assert one == Listener(port=29500, pid=812, command="python")


def test_a_line_that_is_cut_is_none(root: Path) -> None:
    (root / "proc/self/net/tcp").write_text(HEAD + LINE.format(0, V4, "0A", "71")[:60])

    assert list_listeners(made_up(root), quiet).listening == (Listener(port=6000),)


def test_no_table() -> None:
    with pytest.raises(UnreadableError, match="net/tcp: No such file"):
        list_listeners(made_up(Path("/nowhere")), quiet)


def test_a_check_asks_for_one_port_alone(root: Path) -> None:
    taken = ports(made_up(root, MASTER_PORT="29500"), quiet)
    free = ports(made_up(root, MASTER_PORT="29501"), quiet)

    assert taken == Ports(master=29500, listening=(Listener(port=29500),))
    assert free == Ports(master=29501)


@pytest.mark.parametrize("value", ["", "auto", "-1", "\uff11\uff12", "1234567"])
def test_what_names_no_port(root: Path, value: str) -> None:
    with pytest.raises(UnreadableError, match="neither a log nor MASTER_PORT"):
        ports(made_up(root, MASTER_PORT=value), quiet)


def test_inside_of_the_job_its_own_rank_listens(root: Path) -> None:
    with pytest.raises(UnreadableError, match="already running"):
        ports(made_up(root, MASTER_PORT="29500", LOCAL_RANK="0"), quiet)


def test_a_running_process_holds_its_own_port(root: Path) -> None:
    machine = Machine(root=root, system="linux", pid=7, environ={"MASTER_PORT": "29500"})

    with pytest.raises(UnreadableError, match="already running"):
        ports(machine, quiet)


@pytest.mark.parametrize("read", [ports, list_listeners])
def test_elsewhere_nobody_knows(read: object) -> None:
    machine = Machine(system="darwin", environ={"MASTER_PORT": "29500"})

    with pytest.raises(UnreadableError, match="only available on Linux, not on darwin"):
        read(machine, quiet)  # type: ignore[operator]


@pytest.fixture(params=[(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")])
def taken(request: pytest.FixtureRequest) -> Iterator[int]:
    family, address = request.param
    with socket.socket(family) as one:
        try:
            one.bind((address, 0))
        except OSError:
            pytest.skip(f"no {address} here")
        one.listen()
        yield one.getsockname()[1]


@linux
def test_a_socket_that_really_listens(taken: int) -> None:
    holder = list_listeners(Machine(), quiet).find_listener(taken)

    assert holder is not None
    assert holder.pid == os.getpid()
    assert holder.command == Path("/proc/self/comm").read_text().strip()


@linux
def test_a_socket_that_is_only_bound_or_closed_is_free() -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
        assert list_listeners(Machine(), quiet).find_listener(port) is None
        one.listen()
        assert list_listeners(Machine(), quiet).find_listener(port) is not None

    assert list_listeners(Machine(), quiet).find_listener(port) is None
