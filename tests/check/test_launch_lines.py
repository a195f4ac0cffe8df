"""The user's own command with what a remedy changes of it."""

import pytest

from pipedoctor.check import Lasts, Remedy
from pipedoctor.check.launch_lines import put_launch
from pipedoctor.check.typed_lines import get_typed_lines

RUN = "docker run --gpus all --shm-size 1g -e A=1 -v /d:/d img python a.py"
TORCHRUN = "torchrun --nproc_per_node 2 --master_port 29500 a.py --nnodes 7"


def put(line: str, **names: str) -> str:
    remedy = put_launch(Remedy(title="t", lasts=Lasts.ALWAYS, argv=tuple(line.split())), names)
    return remedy.shell or get_typed_lines(remedy)


@pytest.mark.parametrize(
    ("line", "kind", "own", "wanted"),
    [
        (
            "docker run --shm-size=4g",
            "docker_run",
            RUN,
            "docker run --shm-size=4g --gpus all -e A=1 -v /d:/d img python a.py",
        ),
        (
            "docker run -e A=2 -e B=1",
            "docker_run",
            "docker run -e A=1 -e C=1 img",
            "docker run -e A=2 -e B=1 -e C=1 img",
        ),
        (
            "docker run --ulimit nofile=9:9",
            "docker_run",
            "docker run -v $PWD:/w img",
            "docker run --ulimit nofile=9:9 -v $PWD:/w img",
        ),
        (
            "torchrun --standalone --nproc-per-node=gpu train.py",
            "torchrun",
            TORCHRUN,
            "torchrun --standalone --nproc_per_node=2 a.py --nnodes 7",
        ),
        (
            "torchrun --nproc-per-node=gpu train.py",
            "torchrun",
            TORCHRUN,
            "torchrun --nproc-per-node=gpu --master_port 29500 a.py --nnodes 7",
        ),
        (
            "torchrun --standalone --nproc-per-node=gpu train.py",
            "python",
            "python -m seg.train --lr 1",
            "torchrun --standalone --nproc-per-node=gpu -m seg.train --lr 1",
        ),
        ("env -u X python train.py", "python", "python3 a.py -b 8", "env -u X python3 a.py -b 8"),
        (
            "env -u X N=4 python train.py",
            "python",
            "X=1 N=8 Y=2 uv run .venv/bin/python a.py N=1",
            "env -u X N=4 Y=2 uv run .venv/bin/python a.py N=1",
        ),
        (
            "torchrun --master-port=29501 train.py",
            "torchrun",
            "Y=2 bin/torchrun --nnodes 2 --master_port 29500 a.py",
            "Y=2 bin/torchrun --master-port=29501 --nnodes 2 a.py",
        ),
        (
            "torchrun --standalone --nproc-per-node=gpu train.py",
            "python",
            "uv run .venv/bin/python a.py",
            "uv run .venv/bin/torchrun --standalone --nproc-per-node=gpu a.py",
        ),
        ("env -u X python train.py", "torchrun", "torchrun a.py", "env -u X torchrun a.py"),
        (
            "sbatch --mem=8G",
            "sbatch",
            "sbatch --mem 4G -p gpu job.sh",
            "sbatch --mem=8G -p gpu job.sh",
        ),
        ("env -u X python train.py", "sbatch", "sbatch job.sh", "env -u X python train.py"),
        ("pip install torch", "python", "python a.py", "pip install torch"),
    ],
)
def test_the_own_command(line: str, kind: str, own: str, wanted: str) -> None:
    assert put(line, **{kind: own}) == wanted
