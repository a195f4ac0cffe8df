"""A remedy is typed with the tool, the names and the versions of the log's own project."""

import io
from typing import Any

import pytest

from pipedoctor.explanation.explain import explain
from pipedoctor.privacy.redactor import RedactionLevel, Redactor
from tests.explanation.test_remedies_of_logs import HERE, first_text

BUS = "RuntimeError: DataLoader worker (pid 84) is killed by signal: Bus error.\n"
NOT_COMPILED = "AssertionError: Torch not compiled with CUDA enabled\n"
SMI = "| NVIDIA-SMI 560.35.03    Driver Version: 560.35.03    CUDA Version: 12.6 |\n"
OLD_DRIVER = "The NVIDIA driver on your system is too old (found version 11040).\n"
NUMPY = "UserWarning: Failed to initialize NumPy: _ARRAY_API not found\n"
ORDINAL = "RuntimeError: CUDA error: invalid device ordinal\n"
PIP_FULL = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left\n"
LIB_GL = "ImportError: libGL.so.1: cannot open shared object file: No such file or directory\n"
UNEQUAL = "RuntimeError: stack expects each tensor to be equal size, but got [{}] at entry 0"
SHM = "RuntimeError: unable to write to file </torch_57_1_2>: No space left on device (28)\n"
OUT_OF_MEMORY = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {} GiB."
    " and {} GiB is reserved by PyTorch but unallocated\n"
)
REQUIRES = "requires torch==2.1.2, but you have torch 2.3.0 which is incompatible.\n"
FAILED_SMI = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"
WATCHES = "OSError: [Errno 28] inotify watch limit reached\n"
GLIBCXX = "OSError: {}: version `GLIBCXX_3.4.32' not found (required by x.so)\n"
INFLATE = "OSError: Can't synchronously read data (inflate() failed)\n"


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        pytest.param("$ poetry run python t.py\n" + NUMPY, "poetry add 'numpy<2'", id="Poetry"),
        pytest.param(
            ".\\venv\\Scripts\\python.exe t.py --x\n" + NUMPY + "X:\\venv\\a.dll\n",
            '.\\venv\\Scripts\\python.exe -m pip install --upgrade "numpy<2"',
            id="the Python that was started",
        ),
        pytest.param(
            "$ python3 -m venv v\n$ v/bin/python t.py\n" + NUMPY,
            "v/bin/python -m pip",
            id="not the Python that made the environment",
        ),
        pytest.param(
            "kim@box:~$ python3 t.py\n" + NUMPY, "python3 -m pip install", id="only python3"
        ),
        pytest.param(
            "$ /opt/v/bin/torchrun --nproc-per-node=2 t.py\n" + NUMPY,
            "/opt/v/bin/python -m pip install",
            id="the Python beside torchrun",
        ),
        pytest.param(
            "leo@leos-MacBook-Pro ~ % python3 t.py --device=cuda:0\n" + NOT_COMPILED,
            "python3 t.py --device=mps",
            id="no CUDA on a Mac",
        ),
        pytest.param(
            "/Users/leo/v/lib/libx.dylib\nRuntimeError: Could not load libtorchcodec.\n",
            "brew install ffmpeg",
            id="Homebrew",
        ),
        pytest.param("$ uv run t.py\n" + NUMPY, "uv add 'numpy<2'", id="a project of uv"),
        pytest.param(
            f"$ uv run t.py\n{NOT_COMPILED}torch 2.6.0+cpu\ntorchvision 0.21.0+cpu\n{SMI}",
            "uv add torch==2.6.0+cu124 torchvision==0.21.0+cu124 --index pytorch-cu124=",
            id="the versions that belong together",
        ),
        pytest.param(
            f"{OLD_DRIVER}>>> torch.__version__\n'2.3.1+cu121'\n",
            "python -m pip install torch==2.3.1+cu118 torchvision==0.18.1+cu118 --index-url",
            id="the same release for the driver",
        ),
        pytest.param(
            f"trainer-1  | {BUS}", "services:\n  trainer:\n    shm_size: 4gb", id="Compose"
        ),
        pytest.param(f"#12 9.1 {LIB_GL}", "RUN python -m pip uninstall", id="an image is built"),
        pytest.param(f"#9 160.1 {PIP_FULL}", "docker system prune", id="the host of a build"),
        pytest.param(
            f"$ torchrun --nproc_per_node=8 pretrain.py --lr 1\n{ORDINAL}",
            "torchrun --nproc-per-node=gpu pretrain.py --lr 1",
            id="a launch",
        ),
        pytest.param(
            f"{WATCHES}fs.inotify.max_user_watches = 65536\n",
            "sudo sysctl -w fs.inotify.max_user_watches=262144",
            id="a limit",
        ),
        pytest.param(
            GLIBCXX.format("/m/miniforge3/envs/tts/bin/../lib/libstdc++.so.6"),
            "conda install --prefix /m/miniforge3/envs/tts --channel",
            id="the prefix of an environment",
        ),
        pytest.param(
            f'    self.store = h5py.File(fname, "r")\n{INFLATE}',
            "def __init__(self, fname):\n    self.fname = fname\n    self.store = None",
            id="the names of an opening",
        ),
        pytest.param(
            "AttributeError: Can't pickle local object 'make.<locals>.pack'\n",
            "def pack(*args):",
            id="a function in another",
        ),
        pytest.param(
            "PIL.UnidentifiedImageError: cannot identify image file '/d/birds/041/a.jpg'\n",
            "mv -n /d/birds/041/a.jpg /d/birds/041/a.jpg.damaged",
            id="a file that is no image",
        ),
        pytest.param(
            f"torchaudio 2.1.2 {REQUIRES}xformers 0.0.23 {REQUIRES}",
            "python -m pip install torchaudio xformers torch==2.3.0",
            id="every package of a conflict",
        ),
        pytest.param(
            "The package `torchvision` requires `torch==2.5.1`, but `2.6.0` is installed\n",
            "python -m pip install torchvision==0.21.0",
            id="a conflict as uv says it",
        ),
        pytest.param(
            "$ docker run --rm x\n" + NUMPY,
            "RUN python -m pip install --upgrade 'numpy<2'",
            id="an image, from outside",
        ),
        pytest.param(
            "$ docker exec -it x bash\nroot@0123456789ab:/w# python t.py\n" + NUMPY,
            "python -m pip install --upgrade 'numpy<2'",
            id="a container, from inside",
        ),
        pytest.param(
            "worker-1  | OSError: [Errno 24] Too many open files\n"
            "worker-1  | RuntimeError: received 0 items of ancdata\n",
            "services:\n  worker:\n    ulimits:",
            id="limits of a service",
        ),
        pytest.param(
            f"{OLD_DRIVER}torch==2.3.1+cu118\n",
            "python -m pip install torch==2.7.1+cu118",
            id="another build than the one that is too new",
        ),
        pytest.param(
            "srun: job 9912 has been allocated resources\ntorch.distributed.DistNetworkError: The"
            " server socket has failed to listen on any local network address. port: 12355,"
            " name: EADDRINUSE, message: address already in use\n",
            "export MASTER_PORT=$((10000 + SLURM_JOB_ID % 50000))",
            id="a port of Slurm",
        ),
        pytest.param(
            "RuntimeError: Input is not a png, nor a jpeg image: unable to determine the type\n"
            '  File "/v/lib/python3.10/site-packages/torchvision/io/image.py", line 9, in read\n',
            "for index in range(len(dataset)):",
            id="an image that torchvision cannot read",
        ),
        pytest.param(f"$ podman run x\n{BUS}", "podman run --shm-size=4g", id="Podman"),
        pytest.param(
            "$ echo $CUDA_VISIBLE_DEVICES\n-1\nRuntimeError: No CUDA GPUs are available\n",
            "unset CUDA_VISIBLE_DEVICES",
            id="hidden GPUs",
        ),
        pytest.param(
            f"$ kubectl logs -n ml seg-train-7c9d5bf5c-x2x9k\n{SHM}",
            "container=$(kubectl get deployment seg-train --namespace ml",
            id="a deployment",
        ),
        pytest.param(
            "ImportError: /m/anaconda3/envs/yolo/lib/python3.8/site-packages/torch/lib/"
            "libtorch_cpu.so: undefined symbol: iJIT_NotifyEvent\n",
            "conda install --name yolo 'mkl<2024.1'",
            id="an environment of conda",
        ),
        pytest.param(
            "AttributeError: Can't get local object 'train.<locals>.<lambda>'\n",
            "from functools import partial",
            id="a lambda",
        ),
        pytest.param(
            OUT_OF_MEMORY.format("3.12", "8.91"), "export PYTORCH_CUDA_ALLOC_CONF=", id="fragments"
        ),
        pytest.param(
            OUT_OF_MEMORY.format("3.12", "0.91"),
            "Halve batch_size until it fits",
            id="no fragments",
        ),
        pytest.param(
            f"start (batch_size=32)\n{OUT_OF_MEMORY.format('3.12', '0.91')}",
            "DataLoader(..., batch_size=16)",
            id="half of the batch",
        ),
        pytest.param(ORDINAL, 'device = torch.device("cuda:0")', id="one process"),
        pytest.param(
            "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, OpType=ALLREDUCE)\n",
            "DistributedSampler(dataset, drop_last=True)",
            id="a cure before a look",
        ),
        pytest.param(
            f"{FAILED_SMI}nvidia/535.183.01, 6.5.0-44-generic, x86_64: installed\n",
            "sudo apt-get install -y linux-headers-$(uname -r)\nsudo dkms autoinstall",
            id="a module for another kernel",
        ),
        pytest.param(FAILED_SMI, "sudo apt-get install -y ubuntu-drivers", id="no module at all"),
        pytest.param(
            "ValueError: numpy.dtype size changed, may indicate binary incompatibility."
            " Expected 96 from C header, got 88 from PyObject\n",
            "python -m pip install --upgrade numpy",
            id="built for a newer numpy",
        ),
        pytest.param(
            "Matplotlib created a temporary cache directory at /tmp/m because the default path\n"
            "PermissionError: [Errno 13] Permission denied: '/nonexistent/.cache/torch'\n",
            "export HF_HOME=",
            id="the folder that stops the job",
        ),
        pytest.param(
            "OSError: [WinError 112] There is not enough space on the disk: 'D:\\runs\\a.pt'\n",
            "fsutil volume diskfree D:",
            id="a drive",
        ),
        pytest.param(
            "$ srun --partition=gpu nvidia-smi\nNo devices were found\n",
            "srun --gres=gpu:1 --partition=gpu nvidia-smi",
            id="Slurm by its commands",
        ),
        pytest.param(
            "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central"
            ' directory\n    state = torch.load("weights/a.pth")\n',
            "mv -n weights/a.pth weights/a.pth.damaged",
            id="a damaged file",
        ),
        pytest.param(
            f"{NOT_COMPILED}| NVIDIA-SMI 410.72  Driver Version: 410.72  CUDA Version: 10.0 |\n",
            "Update the NVIDIA driver",
            id="a driver that no published torch fits",
        ),
    ],
)
def test_first_remedy(log: str, wanted: str) -> None:
    assert first_text(log).startswith(wanted)


@pytest.mark.parametrize(
    ("shapes", "padded"),
    [
        ("1, 48000] at entry 0 and [1, 31744", (2, 1, 48000)),
        ("48000] at entry 0 and [31744", (2, 48000)),
        ("500, 40] at entry 0 and [300, 40", (2, 500, 40)),
    ],
)
@pytest.mark.torch
@pytest.mark.extended
def test_code_that_pads_the_axis_that_differs(shapes: str, padded: tuple[int, ...]) -> None:
    torch: Any = pytest.importorskip("torch")
    code = first_text(UNEQUAL.format(shapes) + "\n").partition("\n\n\nDataLoader")[0]
    names: dict[str, Any] = {}
    exec(code, names)
    first, _, second = shapes.partition("] at entry 0 and [")
    samples = [
        (torch.ones([int(part) for part in shape.split(",")]), 7) for shape in (first, second)
    ]

    inputs, targets = names["pad_batch"](samples)

    assert (tuple(inputs.shape), targets.tolist()) == (padded, [7, 7])


def test_a_remedy_shows_no_more_of_a_log_than_its_lines_do() -> None:
    log = (
        GLIBCXX.format("/home/kim/miniforge3/envs/tts/lib/libstdc++.so.6")
        + f"$ torchrun --nproc_per_node=8 /home/kim/train.py\n{ORDINAL}"
    )
    redactor = Redactor(RedactionLevel.ALL)

    said = explain(io.BytesIO(log.encode()), redactor=redactor, facts=lambda _: HERE)

    remedies = [one for cause in said.causes for one in cause.remedies]
    assert "kim" not in str(remedies)
    assert any(
        one.shell.startswith("conda install --prefix ~/miniforge3/envs/tts ") for one in remedies
    )


def test_the_python_that_was_started_is_typed_from_the_home_folder() -> None:
    log = f"kim@box:~$ /home/kim/venv/bin/python t.py\n{NUMPY}"

    said = explain(
        io.BytesIO(log.encode()), redactor=Redactor(RedactionLevel.ALL), facts=lambda _: HERE
    )

    assert said.causes[0].remedies[0].shell.startswith("~/venv/bin/python -m pip install")
