"""Flags of docker run as keys of Compose, and lines of a shell as those of a Dockerfile."""

import pytest

from pipedoctor.check import Lasts, Remedy, docker_run, environment
from pipedoctor.check.docker_shapes import translate_for_compose, translate_for_dockerfile

GPUS = """\
services:
  train:
    deploy:
      resources:
        reservations:
          devices:
            - driver: nvidia
              count: all
              capabilities:
                - gpu"""


@pytest.mark.parametrize(
    ("flags", "keys"),
    [
        (("--shm-size=4g",), "shm_size: 4gb"),
        (("--ipc=host",), "ipc: host"),
        (("--cpus=4",), 'cpus: "4"'),
        (
            ("--ulimit=nofile=64:128",),
            "ulimits:\n      nofile:\n        soft: 64\n        hard: 128",
        ),
        (("--pids-limit=-1",), "pids_limit: -1"),
        (("-e", "A=1", "-e", "B="), 'environment:\n      A: "1"\n      B: ""'),
        (("--security-opt", "seccomp=unconfined"), 'security_opt:\n      - "seccomp=unconfined"'),
    ],
)
def test_keys_of_a_service(flags: tuple[str, ...], keys: str) -> None:
    remedy = translate_for_compose(docker_run("Start the container so", *flags))

    assert remedy.snippet == f"services:\n  train:\n    {keys}"
    assert remedy.argv == ()
    assert remedy.title == "Start the service so"


def test_gpus_of_a_service() -> None:
    assert translate_for_compose(docker_run("Take all", "--gpus=all")).snippet == GPUS


@pytest.mark.parametrize("flags", [("--device=/dev/nvidia0",), ("--shm-size=1g", "--rm"), ("-e",)])
def test_flags_without_a_key_stay(flags: tuple[str, ...]) -> None:
    remedy = docker_run("Take it", *flags)

    assert translate_for_compose(remedy) == remedy


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (("python", "-m", "pip", "install", "numpy<2"), "RUN python -m pip install 'numpy<2'"),
        (("apt-get", "install", "-y", "x"), "RUN apt-get update && apt-get install -y x"),
    ],
)
def test_lines_of_a_dockerfile(argv: tuple[str, ...], line: str) -> None:
    remedy = Remedy(title="Install it", argv=argv, lasts=Lasts.ALWAYS, root=True)

    made = translate_for_dockerfile(remedy)

    assert (made.snippet, made.argv, made.root) == (line, (), False)
    assert made.title == "Install it, in the Dockerfile"


def test_variables_of_a_dockerfile() -> None:
    export, *_ = environment("Fewer threads", OMP_NUM_THREADS=1, MKL_NUM_THREADS=1)

    made = translate_for_dockerfile(export)

    assert made.snippet == "ENV OMP_NUM_THREADS=1 MKL_NUM_THREADS=1"


def test_what_no_image_has_stays() -> None:
    remedy = Remedy(title="Restart", argv=("systemctl", "reboot"), lasts=Lasts.ALWAYS)

    assert translate_for_dockerfile(remedy) == remedy
