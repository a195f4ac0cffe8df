"""A remedy takes the place of the option that the user's own command has."""

import pytest

from tests.explanation.test_remedies_of_logs import first_text

KILLED = "RuntimeError: DataLoader worker (pid 84) is killed by signal: Killed.\n"
FILES = "OSError: [Errno 24] Too many open files\n"
CACHE = "PermissionError: [Errno 13] Permission denied: '/.cache/huggingface'\n"
SHM = "RuntimeError: unable to write to file </torch_57_1_2>: No space left on device (28)\n"


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        pytest.param(
            f"$ docker run -it -m12g --memory-swap 14g img python a.py -m 3\n{KILLED}"
            '$ docker inspect x\n        "OOMKilled": true,\n',
            "docker run --memory=64g -it img python a.py -m 3",
            id="a short option is replaced, and what contradicts it goes",
        ),
        pytest.param(
            f"$ podman run --name tr --ulimit nofile=1024 --ulimit core=0 img python a.py\n{FILES}",
            "podman rename tr tr-old\npodman run --ulimit=nofile=65536:524288 --name tr"
            " --ulimit core=0 img python a.py",
            id="a name that the last container keeps",
        ),
        pytest.param(
            f"$ docker run --env HF_HOME=/x --rm img python a.py -e 5\n{CACHE}",
            "docker run -e HF_HOME=/tmp/huggingface -e TORCH_HOME=/tmp/torch"
            " -e XDG_CACHE_HOME=/tmp/cache --rm img python a.py -e 5",
            id="the long name of a short option",
        ),
        pytest.param(
            "$ sbatch -c 4 --mem-per-cpu=2G run.sh -c a.yaml\n"
            "slurmstepd: error: Detected 1 oom_kill event in StepId=7.0.\n",
            "sbatch --mem-per-cpu=4G -c 4 run.sh -c a.yaml",
            id="options of the script stay",
        ),
        pytest.param(
            f"kind: Pod\nmetadata:\n  name: vit-0\nspec:\n  containers:\n  - name: main\n{SHM}"
            "$ kubectl logs vit-0\n",
            "spec:\n  containers:\n    - name: main\n      volumeMounts:",
            id="a Pod of its own, as its manifest says",
        ),
    ],
)
def test_option_is_replaced(log: str, wanted: str) -> None:
    assert first_text(log).startswith(wanted)
