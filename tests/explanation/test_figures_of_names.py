"""Names in a log decide the first remedy: of packages, folders, options and interfaces."""

import pytest

from tests.explanation.test_remedies_of_logs import list_remedies

CASES = {
    "half of a micro batch": (
        (
            "$ torchrun --nproc_per_node 8 p.py --micro-batch 8 --seq 4096\n"
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB.\n"
        ),
        "torchrun --nproc_per_node 8 p.py --micro-batch 4 --seq 4096",
    ),
    "the container of a PyTorchJob": (
        (
            "$ kubectl logs -n llm sft-70b-worker-2\n      Reason:       OOMKilled\n"
            "      memory:          200Gi\n"
        ),
        "name: pytorch\n",
    ),
    "a private dataset": (
        (
            "RepositoryNotFoundError: 401 Client Error. (ID: R)\nRepository Not Found for url:"
            " https://huggingface.co/api/datasets/acme/med/revision/main.\n"
        ),
        "hf auth login",
    ),
    "a checkpoint with its number": (
        "OSError: [Errno 28] No space left on device: '/opt/ml/model/ckpt_30.pt'\n",
        "rm -I -- $(ls -t /opt/ml/model/ckpt_[0-9]*.pt | tail -n +4)",
    ),
    "a quota of the home folder": (
        "OSError: [Errno 122] Disk quota exceeded: '/home/ae/wandb/run/files/output.log'\n",
        'du -xh --max-depth=2 "$HOME"',
    ),
    "Ninja": (
        "RuntimeError: Ninja is required to load C++ extensions (pip install ninja to get it)\n",
        "python -m pip install ninja",
    ),
    "another library of a package": (
        (
            "ImportError: /v/lib/python3.10/site-packages/pyarrow/lib.cpython-310-x86_64.so:"
            " undefined symbol: _ZN5arrow6Status\n"
        ),
        "--no-cache-dir pyarrow",
    ),
    "torchcodec that the message asks for": (
        "ImportError: To support decoding audio data, please install 'torchcodec'.\n",
        "python -m pip install torchcodec",
    ),
    "flash-attn that is asked for": (
        (
            "ImportError: FlashAttention2 has been toggled on, but it cannot be used due to the"
            " following error: the package flash_attn seems to be not installed.\n"
        ),
        "python -m pip install --no-build-isolation flash-attn",
    ),
    "an address of an interface": (
        (
            "RuntimeError: ifa != nullptr. Unable to find address for: lan0 (gloo)\n"
            "2: enp5s0    inet 192.168.1.7/24\n"
        ),
        "export NCCL_SOCKET_IFNAME=enp5s0 GLOO_SOCKET_IFNAME=enp5s0",
    ),
}


@pytest.mark.parametrize(("log", "wanted"), CASES.values(), ids=CASES)
def test_first_remedy_is_of_the_names(log: str, wanted: str) -> None:
    first, *_ = list_remedies(log)

    assert wanted in f"{first.shell}\n{first.snippet}"
