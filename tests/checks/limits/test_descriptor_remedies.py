"""What raises the limit on open files, by place."""

import pytest

from pipedoctor.check import Finding, Lasts, Place
from pipedoctor.facts import Limits, Rlimit, Site, Slurm
from tests.checks.limits.descriptor_samples import job, only, running, shell, system

DOCKER = Site(system="linux", container="docker")

POD = Site(system="linux", container="kubernetes")

SLURM = Site(system="linux", slurm=Slurm(job_id="7"))


def test_a_running_job_is_cured_at_once_without_root() -> None:
    remedy = only(running(2000, 1600)).remedies[0]

    assert remedy.shell == "prlimit --pid 4711 --nofile=65536:1048576"
    assert remedy.undo == ("prlimit", "--pid", "4711", "--nofile=2000:1048576")
    assert remedy.verify == ("prlimit", "--pid", "4711", "--nofile")
    assert remedy.lasts is Lasts.PROCESS
    assert remedy.automatic


@pytest.mark.parametrize(
    ("hard", "line"),
    [
        (65536, "prlimit --pid 4711 --nofile=65536:65536"),
        (65535, "prlimit --pid 4711 --nofile=65535:65535"),
        (3201, "prlimit --pid 4711 --nofile=3201:3201"),
        (3200, "sudo prlimit --pid 4711 --nofile=65536:65536"),
        (2000, "sudo prlimit --pid 4711 --nofile=65536:65536"),
        (None, "prlimit --pid 4711 --nofile=65536:unlimited"),
    ],
)
def test_only_a_higher_hard_limit_takes_root(hard: int | None, line: str) -> None:
    assert only(running(2000, 1600, hard)).remedies[0].shell == line


def test_a_root_without_the_capability_is_not_sent_to_fail() -> None:
    powerless = Site(system="linux", root=True)
    mighty = Site(system="linux", root=True, sys_resource=True)

    def prlimits(limits: Limits, site: Site) -> list[str]:
        found = lines(only(limits, site=site))
        return [line for line in found if line.startswith("sudo prlimit")]

    assert prlimits(running(2000, 1600, 2000), powerless) == []
    assert prlimits(shell(1024, 1024), powerless) == []
    assert len(prlimits(running(2000, 1600, 2000), mighty)) == 1
    assert len(prlimits(shell(1024, 1024), mighty)) == 1


def test_a_hard_limit_below_the_need_takes_root() -> None:
    finding = only(shell(1024, 1100), job(128))

    assert "(min(1100, hard), hard)" in lines(finding)[1]
    assert lines(finding)[2] == "sudo prlimit --pid $$ --nofile=65536:65536"
    assert "prlimit" not in lines(only(shell(1024, 1101), job(128)))[2]


def lines(finding: Finding) -> list[str]:
    return [remedy.shell or remedy.snippet for remedy in finding.remedies]


COPY = "kept.append(target.clone())"

SHARE = 'torch.multiprocessing.set_sharing_strategy("file_system")'

PROGRAM = (
    "import resource\n\n"
    "hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]\n"
    "resource.setrlimit(resource.RLIMIT_NOFILE, (min(65536, hard), hard))"
)

FOR_GOOD = (
    "# /etc/security/limits.d/90-nofile.conf: logins, not services or "
    "containers\n* soft nofile 65536\n* hard nofile 1048576\n# "
    "/etc/systemd/system/UNIT.service.d/nofile.conf: this service "
    "only\n[Service]\nLimitNOFILE=65536:1048576"
)


def test_a_shell_is_cured_in_the_program_or_where_it_starts() -> None:
    finding = only(shell(1024))

    assert lines(finding) == ["ulimit -n 65536", PROGRAM, FOR_GOOD, COPY, SHARE]
    assert [r.place for r in finding.remedies[:2]] == [Place.LAUNCHER, Place.CODE]
    assert [r.advice for r in finding.remedies] == [False, True, True, True, True]
    assert finding.remedies[2].root
    assert not any(remedy.automatic for remedy in finding.remedies)


def test_a_low_hard_limit_is_lifted_by_root() -> None:
    finding = only(shell(1024, 1024))

    assert lines(finding)[0] == "sudo prlimit --pid $$ --nofile=65536:65536"
    assert "* hard nofile 524288" in lines(finding)[1]


def test_without_a_hard_limit() -> None:
    assert lines(only(shell(1024, None)))[1] == PROGRAM


def test_the_kernel_bounds_what_is_asked_for() -> None:
    limit = Rlimit(soft=100, hard=5000)
    finding = only(Limits(nofile=limit, nr_open=5000))

    assert "(5000, hard)" in lines(finding)[1]
    assert "* hard nofile 5000" in lines(finding)[2]


def test_a_large_job_gets_twice_its_need() -> None:
    assert "ulimit -n 131352" in lines(only(shell(1024), job(8200)))


def test_docker() -> None:
    finding = only(shell(1024), site=DOCKER)

    assert lines(finding)[1] == "docker run --ulimit=nofile=65536:1048576"
    assert " ".join(lines(finding)[2].split()) == (
        "services: train: ulimits: nofile: soft: 65536 hard: 1048576"
    )


def test_kubernetes_has_no_field_for_it() -> None:
    inside = only(shell(1024), site=POD)
    outside = only(shell(1024, 4096), site=POD)

    assert "ulimit -n 65536 && exec python train.py" in inside.remedies[1].snippet
    assert outside.remedies[1].snippet.endswith("[Service]\nLimitNOFILE=524288")
    assert outside.remedies[1].advice


def test_slurm_takes_the_limit_of_the_submitting_shell() -> None:
    assert lines(only(shell(1024), site=SLURM))[:3:2] == [
        "ulimit -n 65536",
        "sbatch --propagate=NOFILE",
    ]


def test_a_full_system_gets_twice_as_much_until_it_boots() -> None:
    now, boot = only(system(900, 1000)).remedies

    assert now.shell == "sudo sysctl -w fs.file-max=2000"
    assert now.undo == ("sysctl", "-w", "fs.file-max=1000")
    assert now.automatic
    assert boot.snippet.endswith("fs.file-max = 2000")
    assert (boot.root, boot.advice) == (True, True)
