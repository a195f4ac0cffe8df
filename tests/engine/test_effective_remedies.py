"""Of each remedy the check is asked again, with what the remedy would change."""

from collections.abc import Iterator

import pytest

from pipedoctor.check import Finding, Remedy, Severity, check, docker_run, environment, in_code
from pipedoctor.check.remedy import Lasts
from pipedoctor.engine.effective_remedies import keep_effective_remedies
from pipedoctor.engine.effects import predict_facts
from pipedoctor.facts import (
    Cpu,
    Distribution,
    Fact,
    Facts,
    Interpreter,
    Limits,
    Loader,
    Memory,
    Packages,
    PathFact,
    Paths,
    Rlimit,
    Segment,
    Shm,
    Threads,
)
from pipedoctor.facts.memory import MemoryLimit
from pipedoctor.units import GiB, MiB

LIMITS = Limits(nofile=Rlimit(soft=1024, hard=4096))
FEWER = in_code("fewer", "DataLoader(..., num_workers=2)")
PREFETCH = in_code("prefetch", "DataLoader(..., prefetch_factor=1)")
UNKNOWN = Remedy(title="reboot", argv=("reboot",), lasts=Lasts.ALWAYS)


def command(*argv: str, title: str = "do it") -> Remedy:
    return Remedy(title=title, argv=argv, lasts=Lasts.ALWAYS)


def kept(*remedies: Remedy, workers: int = 8, allowed: int = 4) -> list[str]:
    """Of a check that wants at most so many batches in flight."""

    @check("PDR999", "batches")
    def too_many(loader: Loader, /) -> Iterator[Finding]:
        count = (loader.num_workers or 0) * (loader.prefetch_factor or 2)
        if count > allowed:
            grade = Severity.BREAKS if count > 2 * allowed else Severity.RISKS
            yield Finding(severity=grade, summary=f"{count}", remedies=remedies)

    facts = Facts(Loader(num_workers=workers))
    verdict = keep_effective_remedies(too_many, facts, too_many.run(facts), {})
    return [one.title for finding in verdict.findings for one in finding.remedies]


def test_what_leaves_the_finding_is_not_offered() -> None:
    assert kept(FEWER, PREFETCH) == ["fewer"]


def test_findings_that_a_remedy_shares_ask_the_check_once() -> None:
    asked: list[int | None] = []

    @check("PDR999", "two-loaders")
    def two_loaders(loader: Loader, /) -> Iterator[Finding]:
        """Two loaders with too many workers."""
        asked.append(loader.num_workers)
        for name in ("train", "test") if loader.num_workers != 2 else ():
            grade, evidence = Severity.RISKS, {"name": name}
            yield Finding(severity=grade, summary=name, remedies=(FEWER,), evidence=evidence)

    facts = Facts(Loader(num_workers=8))
    keep_effective_remedies(two_loaders, facts, two_loaders.run(facts), {})

    assert asked == [8, 2]


def test_two_that_suffice_together_are_one_plan() -> None:
    assert kept(PREFETCH, FEWER, allowed=2) == ["prefetch", "Then fewer"]


def test_where_nothing_suffices_what_makes_it_milder_stays() -> None:
    assert kept(PREFETCH, FEWER, workers=10, allowed=1) == []
    assert kept(PREFETCH, workers=10, allowed=5) == ["prefetch"]


def test_what_nobody_can_compute_stays() -> None:
    assert kept(UNKNOWN, PREFETCH, allowed=1) == ["reboot"]
    assert kept(UNKNOWN) == ["reboot"]


def test_steps_that_belong_together_are_judged_together() -> None:
    steps = in_code("Then fewer", "num_workers=1"), UNKNOWN
    assert kept(PREFETCH, *steps) == ["prefetch", "Then fewer", "reboot"]


PATCH = '{"spec":{"template":{"spec":{"containers":[{"name":"a","resources":{"limits":'
GROUP = Memory(total=64 * GiB, available=32 * GiB, group=MemoryLimit(limit=GiB, oom_kills=3))
SHM = Shm(
    size=64 * MiB,
    available=MiB,
    used=63 * MiB,
    segments=(Segment(path="/dev/shm/torch_1", size=8 * MiB, uid=0),),
)


@pytest.mark.parametrize(
    ("before", "remedy", "field", "value"),
    [
        (LIMITS, command("ulimit", "-n", "4096"), "nofile", Rlimit(soft=4096, hard=4096)),
        (
            LIMITS,
            command("prlimit", "--pid", "7", "--nofile=65536:unlimited"),
            "nofile",
            Rlimit(soft=65536, hard=None),
        ),
        (LIMITS, command("sysctl", "-w", "kernel.pid_max=9"), "pid_max", 9),
        (LIMITS, docker_run("", "--pids-limit=77"), "pids_max", 77),
        (LIMITS, command("systemctl", "set-property", "u", "TasksMax=5"), "pids_max", 5),
        (GROUP, docker_run("", "--memory=8g"), "limit", 8 * GiB),
        (GROUP, command("sbatch", "--mem=8G"), "limit", 8 * GiB),
        (GROUP, command("systemctl", "set-property", "u", "MemoryMax=8G"), "limit", 8 * GiB),
        (
            GROUP,
            command(
                "kubectl", "patch", "deployment", "T", "--patch", PATCH + '{"memory":"8Gi"}}}]}}}}'
            ),
            "limit",
            8 * GiB,
        ),
        (SHM, command("mount", "-o", "remount,size=1g", "/dev/shm"), "available", 961 * MiB),
        (
            SHM,
            Remedy(title="", removes=("/dev/shm/torch_1",), lasts=Lasts.ALWAYS),
            "used",
            55 * MiB,
        ),
        (Threads(), environment("", OMP_NUM_THREADS=1)[0], "asked", {"OMP_NUM_THREADS": 1}),
        (Threads(), environment("", OMP_NUM_THREADS=2)[1], "asked", {"OMP_NUM_THREADS": 2}),
        (Threads(), environment("", OMP_NUM_THREADS=3)[2], "asked", {"OMP_NUM_THREADS": 3}),
        (Cpu(logical=8), command("sbatch", "--cpus-per-task=4"), "effective", 4),
        (Loader(num_workers=3), PREFETCH, "prefetch_factor", 1),
    ],
    ids=lambda one: one.shell or one.snippet or "rm" if isinstance(one, Remedy) else "",
)
def test_commands_are_understood(before: Fact, remedy: Remedy, field: str, value: object) -> None:
    after = predict_facts(Facts(before), remedy)

    assert after is not None
    assert getattr(after.get(type(before)), field) == value


@pytest.mark.parametrize(
    "remedy",
    [
        UNKNOWN,
        command("kubectl", "patch", "deployment", "T", "--patch", "no JSON"),
        command("kubectl", "patch", "deployment", "T", "--patch", '{"spec":[]}'),
        docker_run("", "--memory=much"),
        docker_run("", "--shm-size=1g"),
        environment("", TMPDIR="/nowhere")[0],
    ],
    ids=lambda one: one.shell or one.snippet,
)
def test_what_is_not_understood_is_not_guessed(remedy: Remedy) -> None:
    assert predict_facts(Facts(GROUP, Paths()), remedy) is None


def test_a_running_job_was_measured_with_its_own_arguments() -> None:
    job = Loader(num_workers=8, origin={"num_workers": "pid 7"})

    assert predict_facts(Facts(job), FEWER) is None


def test_temporary_files_go_where_there_is_room() -> None:
    places = Paths(
        entries=(
            PathFact(role="tmp", path="/full", free=0),
            PathFact(role="scratch", path="/tmp", free=GiB),
        )
    )

    after = predict_facts(Facts(places), environment("", TMPDIR="/tmp")[0])

    paths = after.get(Paths) if after is not None else None
    assert paths is not None
    assert [(one.role, one.path) for one in paths.entries] == [("tmp", "/tmp")]


def test_python_no_longer_looks_into_a_folder() -> None:
    place = Interpreter(user_site="/u", pythonpath=("/p",), path=("/p", "/u", "/env"))
    entries = tuple(Distribution(name="torch", version=n, location=n) for n in ("/p", "/u", "/env"))
    facts = Facts(place, Packages(entries=entries))

    without = predict_facts(facts, command("unset", "PYTHONPATH"))
    neither = predict_facts(without or facts, environment("", PYTHONNOUSERSITE=1)[0])

    assert neither is not None
    assert neither.get(Interpreter) == Interpreter(path=("/env",))
    assert neither.get(Packages) == Packages(entries=entries[2:])
