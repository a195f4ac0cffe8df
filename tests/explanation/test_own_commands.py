"""A remedy is the user's own command, file, line or container, where the log shows them."""

import io

import pytest

from pipedoctor.explanation.explain import explain
from pipedoctor.facts import Loader
from pipedoctor.privacy.redactor import RedactionLevel, Redactor
from tests.explanation.test_remedies_of_logs import HERE, first_text, list_remedies

BUS = "RuntimeError: DataLoader worker (pid 84) is killed by signal: Bus error.\n"
SHM = "RuntimeError: unable to write to file </torch_57_1_2>: No space left on device (28)\n"


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        pytest.param(
            f"$ docker run --gpus all -v $PWD:/w img python a.py\n{BUS}",
            "docker run --shm-size=4g --gpus all -v $PWD:/w img python a.py",
            id="the user's own command",
        ),
        pytest.param(
            f"$ kubectl logs trainer-0 -c torch\n{SHM}",
            "kubectl patch statefulset trainer --patch"
            """ '{"spec":{"template":{"spec":{"containers":[{"name":"torch\"""",
            id="a StatefulSet",
        ),
        pytest.param(
            f"$ kubectl -n ml logs job/unet\n{SHM}",
            "spec:\n  template:\n    spec:\n      containers:",
            id="a Job cannot be patched",
        ),
        pytest.param(
            "OSError: /v/torchaudio/lib/libtorchaudio.so: undefined symbol: _ZNK5torch8autograd4N\n"
            "torch               2.1.2+cu121\ntorchaudio          2.2.0+cu121\n",
            "python -m pip install torchaudio==2.1.2+cu121 --index-url"
            " https://download.pytorch.org/whl/cu121",
            id="the torchaudio of this torch",
        ),
        pytest.param(
            "Unable to load any of {libcudnn_cnn.so.9.1.0, libcudnn_cnn.so.9.1}\n",
            "python -m pip install --no-deps --target $HOME/cudnn 'nvidia-cudnn-cu12==9.1.0.*'",
            id="the cuDNN that is loaded",
        ),
        pytest.param(
            "to /root/.cache/torch/hub/checkpoints/vgg16-3.pth\n"
            "RuntimeError: PytorchStreamReader failed failed finding central directory\n",
            "rm -- /root/.cache/torch/hub/checkpoints/vgg16-3.pth",
            id="a damaged file of a cache",
        ),
        pytest.param(
            '  File "/w/data.py", line 41, in __getitem__\n    return self.x[i].cuda(), self.y[i]\n'
            "RuntimeError: Cannot re-initialize CUDA in forked subprocess.\n",
            "- return self.x[i].cuda(), self.y[i]\n+ return self.x[i], self.y[i]",
            id="the user's own line",
        ),
        pytest.param(
            "$ docker exec -it seg nvidia-smi\nFailed to initialize NVML: Unknown Error\n",
            "docker restart seg",
            id="the container that lost its GPU",
        ),
        pytest.param(
            "ckpt = torch.load(\"runs/best.pt\")\nUnpicklingError: invalid load key, 'v'.\n",
            "git lfs install\ngit lfs pull",
            id="a pointer of Git LFS",
        ),
        pytest.param(
            "Step 5/9 : RUN pip install torch\nKilled\n"
            "The command '/bin/sh -c pip install torch' returned a non-zero code: 137\n",
            "Give Docker more memory (Docker Desktop: Settings, Resources), then build again",
            id="memory of a build",
        ),
        pytest.param(
            "OSError: /v/torch_sparse/_convert_cuda.so: undefined symbol: _ZNK2at6Tensor5zero_Ev\n"
            "torch.__version__ 1.10.0+cu111\n",
            "python -m pip install --force-reinstall --no-deps torch_sparse"
            " -f https://data.pyg.org/whl/torch-1.10.0+cu111.html",
            id="the wheel for this torch",
        ),
        pytest.param(
            "AttributeError: Can't get attribute 'Own' on <module '__main__' (built-in)>\n",
            "from own_classes import Own  # its definition",
            id="a class of a notebook",
        ),
        pytest.param(
            "OSError: [Errno 122] Disk quota exceeded\n/home/u/kim/.cache/huggingface/hub\n",
            "export XDG_CACHE_HOME=${SCRATCH:-/tmp/$(id -un)}/cache HF_HOME=",
            id="a quota of the home folder",
        ),
        pytest.param(
            "OSError: [Errno 122] Disk quota exceeded: 'runs/a.bin'\n",
            "python -m pip cache purge",
            id="a quota",
        ),
        pytest.param(
            "Controlled By:  Job/bert\n      Reason:       OOMKilled\n      memory:  16Gi\n",
            "spec:\n  template:\n    spec:\n      containers:",
            id="memory of a Job",
        ),
        pytest.param(
            "$ kubectl -n ml describe pod seg-5f4d9b7c6d-v9x2k\n      Reason:       OOMKilled\n"
            "      memory:          16Gi\n",
            "kubectl set resources deployment seg --limits=memory=32Gi --namespace ml",
            id="memory of a pod whose container has no name here",
        ),
        pytest.param(
            "$ kubectl logs clip-train-5d8f7c6b9-hq2pz\nFound no NVIDIA driver on your system.\n",
            "kubectl set resources deployment clip-train --limits=nvidia.com/gpu=1",
            id="a pod without a GPU",
        ),
        pytest.param(
            "Node:             gpu-07/10.0.0.7\nkubelet  Error: nvidia-container-cli:"
            " initialization error: nvml error: driver/library version mismatch: unknown\n",
            "kubectl drain gpu-07 --ignore-daemonsets --delete-emptydir-data\n"
            "ssh gpu-07 sudo reboot\nkubectl uncordon gpu-07",
            id="a node whose driver was upgraded",
        ),
        pytest.param(
            "NVRM: Xid (PCI:0000:65:00): 79, pid='<unknown>', GPU has fallen off the bus.\n",
            "sudo systemctl reboot",
            id="a lost GPU",
        ),
        pytest.param(
            "NVRM: Xid (PCI:0000:65:00): 48, pid=7, DBE (double bit error)\n",
            "sudo nvidia-smi --gpu-reset",
            id="a GPU whose memory failed",
        ),
        pytest.param(
            "$ kubectl logs seg-train-6b7d9c5f8-kx2zt -c torch\n"
            "OSError: [Errno 30] Read-only file system: '/root/.cache/torch'\n",
            'kubectl patch deployment seg-train --patch \'{"spec":{"template":{"spec":'
            '{"containers":[{"name":"torch","env":[{"name":"HF_HOME","value":"/cache/huggingface"}',
            id="caches of a pod",
        ),
        pytest.param(
            "$ docker run --gpus all x\nError 804: forward compatibility was attempted on non"
            " supported HW\n| Driver Version: 510.108.03   CUDA Version: 11.6 |\n",
            'docker run --rm --gpus all -v "$PWD":/work -w /work'
            " pytorch/pytorch:1.13.1-cuda11.6-cudnn8-runtime python train.py",
            id="an image for the driver's CUDA",
        ),
        pytest.param(
            "#SBATCH --gres=gpu:1\nThis DataLoader will create 8 worker processes in total."
            " Our suggested max number of worker in current system is 1, which is smaller\n",
            "#SBATCH --cpus-per-task=9",
            id="a job of Slurm with the CPU of its defaults",
        ),
        pytest.param(
            "$ accelerate launch --num_processes 2 lora.py\nTried to launch distributed"
            " communication on port `29500`, but another process is utilizing it.\n",
            "accelerate launch --main_process_port 0 --num_processes 2 lora.py",
            id="a port that accelerate passes on",
        ),
        pytest.param(
            "$ kubectl logs prep-6d8f5b7c9-x8k4p\nOpenBLAS blas_thread_init: pthread_create"
            " failed for thread 60 of 64: Resource temporarily unavailable\n",
            "kubectl set env deployment/prep OMP_NUM_THREADS=1",
            id="threads in a pod, whose limit only its node has",
        ),
        pytest.param(
            "$ kubectl logs det-7f9c6d5b8-qrs7t\nImportError: libGL.so.1: cannot open shared"
            " object file: No such file or directory\n",
            "RUN python -m pip uninstall -y opencv-python",
            id="what pip does in a pod ends with it",
        ),
        pytest.param(
            "RuntimeError: Lightning can't create new processes if CUDA is already initialized.\n",
            "Use nothing of CUDA before the processes start",
            id="a launcher that forks",
        ),
        pytest.param(
            "$ kubectl logs h100-8d7f6c5b9-zxcvb\nError 802: system not yet initialized\n",
            "ssh NODE sudo systemctl enable --now nvidia-fabricmanager",
            id="what runs on a node",
        ),
        pytest.param(
            "OS: Ubuntu 22.04.4 LTS\nRuntimeError: Found no NVIDIA driver on your system.\n",
            "sudo apt-get install -y ubuntu-drivers-common\nsudo ubuntu-drivers install",
            id="a driver of Ubuntu",
        ),
        pytest.param(
            "uncorrectable ECC error encountered\nsrun: error: node013: task 0: Exited\n",
            "#SBATCH --exclude=node013",
            id="another node of a cluster",
        ),
        pytest.param(
            "docker: Error response from daemon: could not select device driver\n",
            "curl -fsSL https://nvidia.github.io/libnvidia-container/gpgkey | sudo gpg",
            id="the package repository of the toolkit",
        ),
        pytest.param(
            "OSError: image file is truncated (41 bytes not processed)\n",
            "from PIL import ImageFile\n\nImageFile.LOAD_TRUNCATED_IMAGES = True",
            id="an image that is cut short",
        ),
        pytest.param(
            "PIL.UnidentifiedImageError: cannot identify image file '/data/a/7.jpg'\n",
            "mv -n /data/a/7.jpg /data/a/7.jpg.damaged",
            id="a file that is no image",
        ),
        pytest.param(
            "torch         2.0.1\nImportError: libcudnn.so.8: cannot open shared object file\n",
            "python -m pip install --no-deps --target $HOME/cudnn 'nvidia-cudnn-cu11==8.*'",
            id="cuDNN for the CUDA of this torch",
        ),
        pytest.param(
            "torch         2.5.1\ntorchvision   0.20.1\nTorch not compiled with CUDA enabled\n",
            "python -m pip install torch==2.5.1+cu124 torchvision==0.20.1+cu124 --index-url",
            id="the same torch, with CUDA",
        ),
    ],
)
def test_first_remedy(log: str, wanted: str) -> None:
    assert first_text(log).startswith(wanted)


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        (
            (
                "to /home/anna/.cache/torch/hub/checkpoints/v g.pth\n"
                "to /home/anna/.cache/torch/hub/checkpoints/vgg.pth\n"
                "RuntimeError: PytorchStreamReader failed finding central directory\n"
            ),
            "rm -- ~/.cache/torch/hub/checkpoints/vgg.pth",
        ),
        (
            f"$ docker run -v /home/anna/data:/data img python a.py\n{BUS}",
            "docker run --shm-size=4g -v $HOME/data:/data img python a.py",
        ),
        (
            "PIL.UnidentifiedImageError: cannot identify image file '/home/anna/d/a.jpg'\n",
            "mv -n ~/d/a.jpg ~/d/a.jpg.damaged",
        ),
    ],
)
def test_a_hidden_home_is_typed_as_its_owner_does(log: str, wanted: str) -> None:
    redactor = Redactor(RedactionLevel.ALL)

    said = explain(io.BytesIO(log.encode()), redactor=redactor, facts=lambda _: HERE)

    first = next(one for one in said.causes[0].remedies if one.for_here)
    assert (first.shell or first.snippet).startswith(wanted)


def test_a_command_with_a_secret_is_not_repeated() -> None:
    log = f"$ docker run -e HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyzABCDEFGH img python a.py\n{BUS}"
    redactor = Redactor(RedactionLevel.SECRETS)

    said = explain(io.BytesIO(log.encode()), redactor=redactor, facts=lambda _: HERE)

    first = next(one for one in said.causes[0].remedies if one.for_here)
    assert first.shell == "docker run --shm-size=4g"


def test_a_container_without_a_name_in_the_log_is_asked_of_the_cluster() -> None:
    log = "$ kubectl logs {}-n ml yolo-6c9f8d7b5-tw4zx\nunable to write to file </torch_4_2_7>\n"

    ask, patch = list_remedies(log.format(""))[0].snippet.splitlines()
    (known,) = list_remedies(log.format("-c gpu "))[0].shell.splitlines()

    assert ask.startswith("container=$(kubectl get deployment yolo --namespace ml --output ")
    assert """{"name":"'"$container"'",""" in patch
    assert '{"name":"gpu",' in known
    job = log.format("").replace("-n ml yolo-6c9f8d7b5-tw4zx", "job/yolo")
    assert "replace `train` with the container's name" in list_remedies(job)[0].title


JOBS = {
    "python train.py --workers 8": "8 workers with batches",
    "python train.py --num_workers=12 -b 64": "12 workers with batches",
    "python main.py -a resnet50 -j 6": "6 workers with batches",
    "python run.py data.num_workers=3": "3 workers with batches",
    "torchrun --nproc_per_node=2 run.py --dataloader_num_workers 4": "4 workers in each of 2 ranks",
    "python train.py\nINFO:seg:workers_per_gpu=12 samples_per_gpu=8": "12 workers with batches",
    "python train.py\ntry num_workers=16 in the DataLoader": "4 workers with batches",
    "python train.py --workers-per-node 8": "4 workers with batches",
    "python train.py --ps-workers auto": "4 workers with batches",
}


@pytest.mark.parametrize(("command", "assumed"), JOBS.items(), ids=JOBS)
def test_job_is_the_one_that_the_command_starts(command: str, assumed: str) -> None:
    said = explain(io.BytesIO(f"$ {command}\n{BUS}".encode()), facts=lambda _: HERE)

    assert said.causes[0].assumed.startswith(assumed)


def test_workers_that_the_user_gives_come_first() -> None:
    facts = HERE.merge(Loader(num_workers=1, origin={"num_workers": "--workers"}))
    log = io.BytesIO(f"$ python a.py --workers 8\n{BUS}".encode())

    said = explain(log, facts=lambda _: facts)

    assert said.causes[0].assumed.startswith("1 worker with batches")
