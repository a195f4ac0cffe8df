"""The first line says what to type first, not what happens to be a command."""

import io

import pytest
from syrupy.assertion import SnapshotAssertion

from pipedoctor.explanation import text
from pipedoctor.explanation.explain import explain
from pipedoctor.explanation.model import Explanation, RepeatedLine, SuspectedCause
from pipedoctor.facts import Cpu, Facts, Loader, Site
from pipedoctor.privacy.redactor import RedactionLevel, Redactor

HERE = Facts(Site(system="linux"))

FIRST = {
    "a handle that every worker opens, not a variable for old file systems": (
        "TypeError: h5py objects cannot be pickled",
        "hdf5-handle-shared-across-fork: Open it in the worker, on first use, not in",
    ),
    "two lines of code in one": (
        (
            "Thread 41233 (idle): MainThread\n    resize (cv2)\n"
            "#1  gomp_team_end () from .../lib/libgomp.so.1\n"
        ),
        "native-threads-fork-deadlock: cv2.setNumThreads(0); torch.set_num_threads(1)",
    ),
    "what helps at once, not what goes into a file for later": (
        (
            "OpenBLAS blas_thread_init: RLIMIT_NPROC 4096 current, 4096 max\n"
            "OpenBLAS blas_thread_init: pthread_create failed for thread 3 of 64:"
            " Resource temporarily unavailable\n"
        ),
        "process-limit-reached: export OMP_NUM_THREADS=1",
    ),
    "smaller demands, not a look at the kernel's log": (
        (
            "RuntimeError: DataLoader worker (pid 12) is killed by signal: Killed.\n"
            "Memory cgroup out of memory: Killed process 12 (python)\n"
        ),
        "worker-oom-killed: DataLoader(..., num_workers=2, prefetch_factor=1)",
    ),
    "the command for the container, on its host too": (
        (
            "terminate called: Thread creation failed: Operation not permitted\n"
            "OpenBLAS blas_thread_init: pthread_create failed for thread 1 of 64:"
            " Operation not permitted\n"
        ),
        ("container-seccomp-blocks-threads: docker run --security-opt seccomp=unconfined"),
    ),
    "the words to write, where it takes more than a line": (
        (
            "RuntimeError: An attempt has been made to start a new process before the"
            " current process has finished its bootstrapping phase.\n"
        ),
        ('missing-main-guard: Move everything that starts work under `if __name__ == "__main__":`'),
    ),
}


def test_steps_of_which_the_first_does_harm_are_typed_together() -> None:
    log = b"ImportError: libGL.so.1: cannot open shared object file: No such file"
    said = explain(io.BytesIO(log), facts=lambda _: Facts())

    assert text.write_first_line(said) == (
        "opencv-system-lib-missing: python -m pip uninstall -y opencv-python"
        " && python -m pip install --force-reinstall --no-deps opencv-python-headless"
    )


def test_without_a_remedy_for_this_place_what_decides() -> None:
    suspect = SuspectedCause(rank=1, cause="a", name="a", confidence="likely", decide="nproc")

    assert text.write_first_line(Explanation(causes=(suspect,))) == "a: to confirm: nproc"


def test_what_is_only_possible_says_so_and_what_decides() -> None:
    log = b"UserWarning: This DataLoader will create 16 worker processes in total.\n"
    here = HERE.merge(Cpu(logical=2, affinity=2), Loader(num_workers=16))
    guessed = explain(io.BytesIO(log), facts=lambda _: HERE)
    found = explain(io.BytesIO(log), facts=lambda _: here)

    said = "too-many-workers-for-cpus: "
    assert text.write_first_line(guessed).startswith(said)
    assert text.write_first_line(guessed).endswith("  # only possible; to confirm: nproc")
    assert text.write_first_line(found).startswith(said)
    assert "#" not in text.write_first_line(found)


def test_an_exception_without_words() -> None:
    log = io.BytesIO(b"RecursionError\n")

    assert text.write_first_line(explain(log, facts=lambda _: HERE)).endswith(": RecursionError")


def test_a_line_that_decides_is_for_the_shell_one_sits_at() -> None:
    log = io.BytesIO(b"RuntimeError: received 0 items of ancdata")

    assert explain(log, facts=lambda _: HERE).causes[0].decide == ("ulimit -Sn; ulimit -Hn")


def test_echoes_in_words(snapshot: SnapshotAssertion) -> None:
    suspect = SuspectedCause(rank=1, cause="a_b", name="a-b", confidence="likely")
    echoes = tuple(RepeatedLine(line=line, of="a_b") for line in range(1, 11))
    one = text.render(Explanation(causes=(suspect,), echoes=echoes[:1]))
    ten = text.render(Explanation(causes=(suspect,), echoes=echoes))

    assert one == snapshot
    assert ten == snapshot


@pytest.mark.parametrize(("log", "line"), FIRST.values(), ids=FIRST)
def test_what_to_type_first(log: str, line: str) -> None:
    said = explain(io.BytesIO(log.encode()), facts=lambda _: HERE)

    assert text.write_first_line(said).startswith(line)


def test_a_command_for_this_place_goes_before_a_change_of_code() -> None:
    log = b"RuntimeError: DataLoader worker (pid 12) is killed by signal: Killed.\n"
    docker = Facts(Site(system="linux", container="docker"))

    said = explain(io.BytesIO(log), facts=lambda _: docker)

    assert text.write_first_line(said).startswith("worker-oom-killed: docker run --memory=")


def test_a_title_of_two_lines_stays_beside_its_arrow() -> None:
    log = b"RuntimeError: DataLoader worker (pid 12) is killed by signal: Killed.\n"
    lines = text.render(explain(io.BytesIO(log), facts=lambda _: HERE), width=60).splitlines()

    at = next(n for n, line in enumerate(lines) if line.startswith("   → Use fewer workers"))
    assert lines[at + 1].startswith("     ")
    assert "DataLoader(" not in lines[at + 1]


def test_a_name_that_is_hidden_in_the_command_is_to_be_put() -> None:
    log = (
        b"alice@h:~$ python /scratch/alice/train.py\n"
        b"PIL.UnidentifiedImageError: cannot identify image file '/scratch/alice/a.jpg'\n"
    )
    redactor = Redactor(RedactionLevel.ALL)

    first = text.write_first_line(explain(io.BytesIO(log), redactor=redactor))

    assert "mv -n '/scratch/<user-1>/a.jpg'" in first
    assert first.endswith("  # put the real name for <user-1>")
