"""PDR962 finds who listens on the port of the rendezvous."""

import pytest

from pipedoctor.check import CannotJudge, Severity
from pipedoctor.facts import Launcher, Listener, Ports, Site, Slurm
from pipedoctor.facts.log import Log, Seen
from pipedoctor_checks.crashes.master_port_in_use import master_port_in_use

TAKEN = Ports(
    master=29500,
    listening=(
        Listener(port=22),
        Listener(port=29500, pid=812, command="python"),
        Listener(port=29501, pid=9),
    ),
)
BARE = Site(system="linux")


def named(**values: str) -> Log:
    seen = Seen(signature="master_port_in_use/which", line=1, text="", values=values)
    return Log(seen=(seen,), causes=("master_port_in_use",))


@pytest.mark.parametrize(
    ("ports", "log"),
    [
        pytest.param(Ports(master=29500), None, id="nobody listens"),
        pytest.param(Ports(master=2950, listening=TAKEN.listening), None, id="other"),
        pytest.param(TAKEN, named(port="29499"), id="the log names a free one"),
        pytest.param(TAKEN, named(asked="29499"), id="a free one was asked for"),
        pytest.param(TAKEN, named(port="29499", asked="22"), id="what failed counts"),
    ],
)
def test_silent(ports: Ports, log: Log | None) -> None:
    assert master_port_in_use(ports, log, BARE) == []


@pytest.mark.parametrize(
    ("log", "summary"),
    [
        (None, "Port 29500 is already in use: python (PID 812) listens on it"),
        (Log(), "Port 29500 is already in use: python (PID 812) listens on it"),
        (named(port="99999"), "Port 29500 is already in use: python (PID 812) listens on it"),
        (named(port="29501"), "Port 29501 is already in use: a process (PID 9) listens on it"),
        (
            named(asked="22"),
            ("Port 22 is already in use: a process that is not visible from here listens on it"),
        ),
    ],
)
def test_speaks(log: Log | None, summary: str) -> None:
    (finding,) = master_port_in_use(TAKEN, log, BARE)

    assert (finding.severity, finding.summary) == (Severity.RISKS, summary)


def test_evidence() -> None:
    (finding,) = master_port_in_use(TAKEN, None, None)

    assert finding.evidence == {"port": 29500, "pid": 812, "command": "python"}


@pytest.mark.parametrize("log", [None, Log(), named(port="x"), named(port="0")])
def test_without_a_port_nobody_knows(log: Log | None) -> None:
    with pytest.raises(CannotJudge, match="neither the log nor MASTER_PORT"):
        master_port_in_use(Ports(listening=TAKEN.listening), log, BARE)


@pytest.mark.parametrize(
    ("site", "shells"),
    [
        (
            BARE,
            [
                "",
                "torchrun --standalone --nproc-per-node=gpu train.py",
                "ss -ltnp",
            ],
        ),
        (
            Site(system="linux", container="kubernetes"),
            ["kubectl set env deployment/TRAIN MASTER_PORT=29501"],
        ),
        (
            Site(system="linux", slurm=Slurm(job_id="7")),
            ["", "torchrun --standalone --nproc-per-node=gpu train.py"],
        ),
    ],
)
def test_remedies_of_the_place(site: Site, shells: list[str]) -> None:
    (finding,) = master_port_in_use(TAKEN, None, site)

    assert [remedy.shell for remedy in finding.remedies] == shells
    assert all(site.launcher in remedy.fits for remedy in finding.remedies)
    assert not any(remedy.automatic for remedy in finding.remedies)


def test_where_nobody_knows_the_place_all_are_shown() -> None:
    (finding,) = master_port_in_use(TAKEN, None, None)

    fits = {launcher for remedy in finding.remedies for launcher in remedy.fits}
    assert fits >= {Launcher.BARE, Launcher.KUBERNETES, Launcher.SLURM}


def test_the_next_free_port_where_the_variable_names_the_taken_one() -> None:
    (finding,) = master_port_in_use(TAKEN, None, BARE)
    (of_the_log,) = master_port_in_use(TAKEN, named(port="29501"), BARE)
    last = Ports(master=65_535, listening=(Listener(port=65_535),))

    assert finding.remedies[0].snippet == "export MASTER_PORT=29502"
    assert "MASTER_PORT" not in of_the_log.remedies[0].snippet
    assert "MASTER_PORT" not in master_port_in_use(last, None, BARE)[0].remedies[0].snippet


@pytest.mark.parametrize(
    ("launch", "first"),
    [
        ("torchrun --nproc-per-node 2 a.py", "torchrun --standalone --nproc-per-node=gpu train.py"),
        ("torchrun --nnodes 2 --node_rank 1 a.py", "torchrun --master-port=29502 train.py"),
        ("torchrun --rdzv-endpoint=n1:29500 a.py", "torchrun --master-port=29502 train.py"),
    ],
)
def test_torchrun_reads_no_variable(launch: str, first: str) -> None:
    (finding,) = master_port_in_use(TAKEN, Log(names={"torchrun": launch}), BARE)

    assert finding.remedies[0].shell == first
    assert all("MASTER_PORT" not in one.snippet for one in finding.remedies)
