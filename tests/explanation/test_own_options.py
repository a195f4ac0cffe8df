"""A remedy takes the place of the option that the user's own command has."""

import pytest

from tests.explanation.test_remedies_of_logs import first_text

KILLED = "RuntimeError: DataLoader worker (pid 84) is killed by signal: Killed.\n"
FILES = "OSError: [Errno 24] Too many open files\n"
CACHE = "PermissionError: [Errno 13] Permission denied: '/.cache/huggingface'\n"
CUDNN = "Could not locate cudnn_ops64_9.dll. Please make sure it is in your library path!\n"
SHM = "RuntimeError: unable to write to file </torch_57_1_2>: No space left on device (28)\n"


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        pytest.param(
            f"$ docker run -it -m12g --memory-swap 14g img python a.py -m 3\n{KILLED}"
            '$ docker inspect x\n        "OOMKilled": true,\n',
            "docker run --memory=24g -it img python a.py -m 3",
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
        pytest.param(
            f"root@0123456789ab:/w# python a.py\n{FILES}",
            "ulimit -n 65536",
            id="in the shell of a container whose start nobody knows",
        ),
        pytest.param(
            f"root@0123456789ab:/w# python a.py\n{CACHE}",
            "export HF_HOME=/tmp",
            id="a variable in that shell",
        ),
        pytest.param(
            f"$ docker build -t acme/t --shm-size 1g .\n#9 12.1 {SHM}",
            "docker build --shm-size=4g -t acme/t .",
            id="the build of an image",
        ),
        pytest.param(
            f"#9 12.1 {CACHE}", "ENV HF_HOME=/tmp/huggingface", id="a variable of the image"
        ),
        pytest.param(
            f"$ docker run --name=tr img python a.py\n{SHM}$ ls /dev/shm: leaked torch_1_2\n",
            "docker r",
            id="a container by its name",
        ),
        pytest.param(
            "$ torchrun --nproc_per_node=2 a.py --train_batch_size=8\n"
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n",
            "torchrun --nproc_per_node=2 a.py --train_batch_size=4",
            id="half of the batch size",
        ),
        pytest.param(
            f"(v) PS C:\\p> python a.py\n{CUDNN}",
            'python -m pip install --no-deps --target C:\\cudnn "nvidia-cudnn-cu12==9.*"\n'
            '$env:PATH = "C:\\cudnn',
            id="a variable in PowerShell",
        ),
        pytest.param(
            f"C:\\p>python a.py\n{CUDNN}",
            'python -m pip install --no-deps --target C:\\cudnn "nvidia-cudnn-cu12==9.*"\n'
            'set "PATH=C:\\cudnn',
            id="a variable in cmd.exe",
        ),
        pytest.param(
            f"/tmp/ipython-input-9.py in f()\n{SHM}",
            "DataLoader(..., num_workers=0)",
            id="a notebook whose host gives no rights",
        ),
        pytest.param(
            f"srun: job 3 queued and waiting\n{SHM}",
            "DataLoader(..., num_workers=0)",
            id="what somebody else would have to do comes later",
        ),
    ],
)
def test_option_is_replaced(log: str, wanted: str) -> None:
    assert first_text(log).startswith(wanted)
