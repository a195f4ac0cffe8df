"""The first remedy knows what ran there: which launcher, image, service and step of the job."""

import pytest

from pipedoctor.check.typed_lines import remove_sudo
from tests.explanation.test_remedies_of_logs import first_text, list_remedies

PORT = "DistNetworkError: failed to bind to [::]:29500 (errno: 98 - Address already in use).\n"
PTX = "RuntimeError: CUDA error: the provided PTX was compiled with an unsupported toolchain.\n"
SMI = "| NVIDIA-SMI 535.183.01   Driver Version: 535.183.01   CUDA Version: {} |\n"
NMS = "RuntimeError: operator torchvision::nms does not exist\n"
WINDOWS = '  File "C:\\sd\\venv\\lib\\site-packages\\torchvision\\__init__.py", line 6\n'
OFFLOAD = (
    "CPU Virtual Memory:  used = 246.02 GB, percent = {}%\n"
    "['python3', 'sft.py', '--deepspeed', 'ds_zero3_offload.json'] exits with return code = -9\n"
)
SAGEMAKER = (
    'sagemaker-training-toolkit INFO     Invoking user script\n    "{}"\n'
    "OSError: [Errno 28] No space left on device\n"
)
NGC = (
    "This container image is governed by the NVIDIA Deep Learning Container License.\n"
    "Error 804: forward compatibility was attempted on non supported HW\n"
)
MMENGINE = (
    "10/14 12:05:11 - mmengine - INFO - Exp name: rcnn_r50_20251014_095801\n"
    '  File "/e/lib/mmengine/hooks/checkpoint_hook.py", line 361, in after_train_epoch\n'
    "RuntimeError: PytorchStreamWriter failed writing file data/431: file write failed\n"
)
SHARDS = "Loading checkpoint shards:  {}%|##   | 3/15\ndmesg: Out of memory: Killed process 71\n"
CASES = {
    "a launcher as a module": (
        f"$ python -m torch.distributed.launch --nproc_per_node=4 --master_port 29500 a.py\n{PORT}",
        "python -m torch.distributed.launch --standalone --nproc_per_node=4 a.py",
    ),
    "several nodes": (
        f"$ python -m torch.distributed.run --nnodes 2 --master_port 29500 a.py\n{PORT}",
        "python -m torch.distributed.run --master-port=29501 --nnodes 2 a.py",
    ),
    "the port of accelerate": (
        f"$ accelerate launch --main_process_port 29500 a.py --x 1\n{PORT}",
        "accelerate launch --main_process_port 0 a.py --x 1",
    ),
    "the port of DeepSpeed": (
        f"$ deepspeed --num_gpus 4 --master_port=29500 a.py --deepspeed ds.json\n{PORT}",
        "deepspeed --master_port 29501 --num_gpus 4 a.py --deepspeed ds.json",
    ),
    "torchrun in a job of Slurm": (
        f"+ torchrun --nproc_per_node=2 --master_port=29500 a.py\n{PORT}srun: error: g5: task 0\n",
        "torchrun --standalone --nproc_per_node=2 a.py",
    ),
    "an extension for a newer driver": (
        f"{PTX}{SMI.format('12.2')}Cuda compilation tools, release 12.6, V12.6.77\n",
        "export TORCH_CUDA_ARCH_LIST=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader",
    ),
    "a kernel of numba": (
        (
            f"numba.cuda.cudadrv.driver.LinkerError: [222] Call to cuLinkAddData results in"
            f" CUDA_ERROR_UNSUPPORTED_PTX_VERSION\n{SMI.format('12.2')}"
        ),
        'conda install -c conda-forge "cuda-version<=12.2"',
    ),
    "the torch that xformers finds": (
        f"    PyTorch 2.1.2+cu121 with CUDA 1201 (you have 2.4.1+cu124)\n{WINDOWS}{NMS}",
        (
            'python -m pip install "torchvision==0.19.1+cu124" --index-url'
            " https://download.pytorch.org/whl/cu124"
        ),
    ),
    "a torch of Windows that is not known": (
        WINDOWS + NMS,
        (
            "python -m pip install --upgrade torch torchvision --index-url"
            " https://download.pytorch.org/whl/cu126"
        ),
    ),
    "what is offloaded": (OFFLOAD.format("97.9"), '"offload_optimizer": {"device": "nvme"'),
    "an offload with room": (OFFLOAD.format("41.0"), "DataLoader(..., num_workers=2"),
    "weights that are loaded": (SHARDS.format(20), "Weights are loaded when memory ends"),
    "weights that were loaded": (
        SHARDS.format(20) + SHARDS.format(100),
        "DataLoader(..., num_workers=2",
    ),
    "SageMaker": (SAGEMAKER.format("ml.p3.2xlarge"), "On SageMaker write below /opt/ml, where the"),
    "checkpoints of mmengine": (
        MMENGINE,
        "rm -I -- $(ls -t work_dirs/rcnn_r50/epoch_[0-9]*.pth | tail -n +4)",
    ),
    "the driver, not the CUDA of the image": (
        NGC + SMI.format("12.5"),
        (
            'docker run --rm --gpus all -v "$PWD":/work -w /work'
            " pytorch/pytorch:2.4.1-cuda12.1-cudnn9-runtime"
        ),
    ),
}


@pytest.mark.parametrize(("log", "wanted"), CASES.values(), ids=CASES)
def test_first_remedy(log: str, wanted: str) -> None:
    assert first_text(log).startswith(wanted)


def test_a_disk_of_sagemaker_that_cannot_be_larger() -> None:
    (first,) = list_remedies(SAGEMAKER.format("ml.g5.2xlarge"))

    assert "volume_size changes nothing" in first.title


def test_root_types_no_sudo_at_all() -> None:
    lines = 'm=$(df)\nsudo umount "$m" && sudo mount "$m"\nls | while read -r m; do sudo ls; done'

    assert "sudo" not in remove_sudo(f"{lines}; sudo a || {{ sudo b; }}")
    assert remove_sudo("echo pseudo sudoku") == "echo pseudo sudoku"


def test_nothing_else_is_offered_beside_what_stands_alone() -> None:
    assert len(list_remedies(PTX)) == 1
