"""The commands in a log: one line or several, and none that would do something else."""

import pytest

from pipedoctor.log.launch_commands import CommandReader


def read(text: str) -> dict[str, str]:
    reader = CommandReader()
    for number, line in enumerate(text.splitlines(), 1):
        reader.read_line(line, number)
    return reader.get_commands()


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        (
            "$ docker run --gpus all -v $PWD:/w img",
            {"docker_run": "docker run --gpus all -v $PWD:/w img"},
        ),
        ("docker run \\\n  --gpus all \\\n  img", {"docker_run": "docker run --gpus all img"}),
        (
            "(seg) me@gpu1:~/x$ torchrun --nproc_per_node 2 a.py",
            {"torchrun": "torchrun --nproc_per_node 2 a.py"},
        ),
        ("$ torchrun a.py --out b > a.log 2>&1 &", {"torchrun": "torchrun a.py --out b"}),
        ("$ nohup python a.py 2>&1 | tee a.log", {"python": "nohup python a.py"}),
        ("(y) PS E:\\y> yolo detect train workers=16", {"trainer": "yolo detect train workers=16"}),
        ("me@login1:~> sbatch job.sh", {"sbatch": "sbatch job.sh"}),
        (
            "$ OMP_NUM_THREADS=4 python3 tools/a.py --lr 0.1",
            {"python": "OMP_NUM_THREADS=4 python3 tools/a.py --lr 0.1"},
        ),
        ("$ python -m seg.train", {"python": "python -m seg.train"}),
        (r"C:\\Users\\ana\\proj> python mnist.py", {"python": "python mnist.py"}),
        (
            """u@srv:~$ sudo docker run --gpus '"device=0,1"' -v ~/s:/s img""",
            {"docker_run": """docker run --gpus '"device=0,1"' -v ~/s:/s img"""},
        ),
        ("$ python a.py\n$ python b.py", {"python": "python b.py"}),
        ("  512  torchrun main.py --cfg a", {"torchrun": "torchrun main.py --cfg a"}),
        ("$ .venv/bin/python tools/a.py", {"python": ".venv/bin/python tools/a.py"}),
        ("$ python3.11 a.py", {"python": "python3.11 a.py"}),
        ("$ uv run python a.py --x 1", {"python": "uv run python a.py --x 1"}),
        ("$ srun -n 4 --gpus 4 python a.py", {"python": "srun -n 4 --gpus 4 python a.py"}),
        ("$ ~/.local/bin/torchrun a.py", {"torchrun": "~/.local/bin/torchrun a.py"}),
        (r"(yolo) C:\ml>python train.py --img 640", {"python": "python train.py --img 640"}),
        ("!python train.py", {"python": "python train.py"}),
        ("Running command: python train.py --lr 1", {"python": "python train.py --lr 1"}),
    ],
)
def test_a_command(text: str, commands: dict[str, str]) -> None:
    assert read(text) == commands


@pytest.mark.parametrize(
    "text",
    [
        "$ docker run -v $(curl -s x.sh):/w img",
        "$ docker run img; rm -rf x",
        "$ docker run img | grep log",
        "$ docker run `id` img",
        "$ docker run $OPTIONS img",
        "$ python -c 'import torch'",
        "$ python -m pip install torch",
        "$ python setup.py install",
        "the python train.py script",
        "docker run \\\n" + "x \\\n" * 20,
        '$ docker run "img',
    ],
)
def test_no_command(text: str) -> None:
    assert not read(text)
