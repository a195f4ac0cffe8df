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
    "the service that fails": (
        (
            "redis-1    | Ready to accept connections tcp\nlearner-1  | 12 loader processes\n"
            "learner-1  | RuntimeError: DataLoader worker (pid 8) is killed by signal: Bus error.\n"
        ),
        "services:\n  learner:\n    shm_size: 9gb",
    ),
    "the service that ended": (
        (
            "redis-1    | Ready to accept connections tcp\nlearner-1 exited with code 1\n"
            "unable to write to file </torch_1_2_3>\n"
        ),
        "services:\n  learner:\n    shm_size",
    ),
    "master and workers of a PyTorchJob": (
        "$ kubectl -n vision logs pytorchjob-cell-master-0\nunable to write to file </torch_6>\n",
        "pytorchReplicaSpecs:\n    Master:\n",
    ),
    "few workers in a profile": (
        (
            "The 'train_dataloader' does not have many workers which may be a bottleneck."
            " Consider increasing the value of the `num_workers` argument` to `num_workers=23` in\n"
            "Profiler: [_TrainingEpochLoop].train_dataloader_next  mean 4.9 s  total 9 s  93.4 %\n"
            "Epoch 0:   2%|#        | 41/1849 [03:34<2:37:51,  0.19it/s, train_loss=0.02]\n"
        ),
        "DataLoader(..., num_workers=23, persistent_workers=True)",
    ),
    "an assertion behind a warning": (
        (
            "/e/cuda/__init__.py:128: UserWarning: CUDA initialization: The NVIDIA driver on your"
            " system is too old (found version 11040).\nTraceback (most recent call last):\n"
            '  File "/w/t.py", line 41, in main\n    assert torch.cuda.is_available(), "no"\n'
            "AssertionError: no\n"
        ),
        "https://download.pytorch.org/whl/cu118",
    ),
    "a GPU for one process": (
        (
            "RuntimeError: CUDA error: CUDA-capable device(s) is/are busy or unavailable\n"
            "| N/A   55C    P0   120W / 250W |   4120MiB / 16384MiB |     64%   E. Process |\n"
        ),
        "nvidia-smi -c 0",
    ),
    "a module for an older numpy": (
        (
            '  File "/e/lib/python3.9/site-packages/pycocotools/mask.py", line 3, in <module>\n'
            "ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96"
            " from C header, got 88 from PyObject\ntorch==2.0.1+cu118\n"
        ),
        "--no-build-isolation --no-binary pycocotools pycocotools",
    ),
    "a GPU that is free": (
        (
            "$ CUDA_VISIBLE_DEVICES=0 python f.py --bs 16\nOutOfMemoryError: CUDA out of memory."
            " Tried to allocate 90.00 MiB. GPU 0 has a capacity of 31.74 GiB of which 61 MiB is"
            " free. Process 18422 has 29.88 GiB memory in use. Including non-PyTorch memory, this"
            " process has 1.79 GiB memory in use.\n0, 30657 MiB, 32768 MiB\n1, 4 MiB, 32768 MiB\n"
        ),
        "CUDA_VISIBLE_DEVICES=1 python f.py --bs 16",
    ),
    "a limit of processes that anybody raises": (
        "fork: retry: Resource temporarily unavailable\n$ ulimit -u\n512\n$ ulimit -Hu\n8192\n",
        "ulimit -u 4124",
    ),
    "a quota of files": (
        (
            "OSError: [Errno 122] Disk quota exceeded: '/lustre/p/tiles/a/9.png'\n"
            "    /lustre   1.2T    5T      5T       -     1000001* 1000000 1000000  -\n"
        ),
        "du --inodes -x --max-depth=3 /lustre",
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
