"""Figures that a log shows beside its error decide the first remedy."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.explanation.test_remedies_of_logs import list_remedies

NO_SPACE = "OSError: [Errno 28] No space left on device: '/data/tiles/7/04.png'\n"
INODES = (
    "$ df -i /data\nFilesystem       Inodes    IUsed   IFree IUse% Mounted on\n"
    "/dev/sdb1      61054976 61054976       0  100% /data\n"
)
BYTES = (
    "$ df -h /data\nFilesystem      Size  Used Avail Use% Mounted on\n"
    "/dev/sdb1       916G  910G     0  100% /data\n"
)
KILLED = "slurmstepd: error: Detected 1 oom_kill event in StepId=7.0.\n"
LOCKED = (
    '  File "h5py/h5f.pyx", line 102, in h5py.h5f.open\n'
    "BlockingIOError: [Errno 11] Unable to open file (unable to lock file, errno = 11)\n"
)
SLOW = "".join(
    f"step {number} time: 2.1{number} data: 1.9{number} loss: 3.2\n" for number in range(1, 7)
)
SUGGESTED = (
    "UserWarning: This DataLoader will create {} worker processes in total. Our suggested max"
    " number of worker in current system is {}, which is smaller than what this DataLoader\n"
)
DESYNC = (
    "[rank1]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9, OpType=ALLREDUCE,"
    " Timeout(ms)=600000) ran for 600044 milliseconds before timing out.\n"
)
POINTER = "_pickle.UnpicklingError: invalid load key, 'v'.\n"
FORKED = "RuntimeError: Cannot re-initialize CUDA in forked subprocess.\n"
CODEC = "RuntimeError: Could not load libtorchcodec. Likely causes:\n"
OLD_DRIVER = "requirement error: unsatisfied condition: cuda>={}, please update your driver\n"
LATE = "RuntimeError: DataLoader timed out after {} seconds\n"
BUILD_FULL = (
    " => ERROR [3/5] RUN pip install -r r.txt\nERROR: Could not install packages due to an"
    " OSError: [Errno 28] No space left on device\n$ docker system df\n"
    "Images          12        2         80.1GB    71.3GB (89%)\n"
)
CASES = {
    "a short timeout": (LATE.format(20), "DataLoader(..., timeout=600)"),
    "a long timeout": (LATE.format(900), "dataset[index]"),
    "pressure of the storage": (
        f"{LATE.format(900)}some avg10=64.02 avg60=60.80\n",
        "DataLoader(..., timeout=4500)",
    ),
    "a rank that works alone": (
        f"Map (num_proc=8):  40%|####   | 40/100 [10:02<15:00, 1.2 examples/s]\n{DESYNC}",
        "from datetime import timedelta",
    ),
    "before the first collective": (
        f"{DESYNC}PG status: last enqueued work: 1, last completed work: -1\n",
        "from datetime import timedelta",
    ),
    "work on one rank only": (
        f"preprocessing a.jsonl on rank 0 only\n{DESYNC}",
        "from datetime import timedelta",
    ),
    "the same in the Trainer": (
        f'  File "/v/transformers/trainer.py", line 3, in x\nrank 0 is still evaluating\n{DESYNC}',
        "TrainingArguments(..., ddp_timeout=7200)",
    ),
    "a rank that is busy": (
        (
            "[rank1]: [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2,"
            " OpType=BROADCAST) ran for 600031 milliseconds before timing out.\n"
            "[rank0] 15:19:28 packing 4.2M rows, 41% done, eta 14 min\n"
        ),
        "from datetime import timedelta",
    ),
    "all ranks were busy before they trained": (
        f"[rank0] 11:02 caching images\n[rank1] 11:02 caching images\n{DESYNC}",
        "DistributedSampler(dataset, drop_last=True)",
    ),
    "workers in a sentence": (
        (
            "[02:14:53] INFO  data: 118287 images, batch 32, workers 12\n$ docker run img python"
            " t.py\nRuntimeError: DataLoader worker (pid 7) is killed by signal: Bus error.\n"
        ),
        "docker run --shm-size=9g img python t.py",
    ),
    "ranks of which nothing is known": (DESYNC, "DistributedSampler(dataset, drop_last=True)"),
    "images that nobody uses": (BUILD_FULL, "docker system prune --all"),
    "a pointer of Git LFS in an image": (
        f"Step 3/9 : RUN git clone https://hub.example/a/b /m\n{POINTER}",
        "RUN apt-get update && apt-get install -y git-lfs && git lfs install",
    ),
    "a model that a worker calls": (
        f'  File "/w/d.py", line 4, in __getitem__\n    z = self.encoder.encode(x)\n{FORKED}',
        'DataLoader(..., multiprocessing_context="spawn")',
    ),
    "a tensor that a worker makes on the GPU": (
        (
            '  File "/w/d.py", line 4, in __getitem__\n    z = torch.zeros(3, device="cuda")\n'
            f"{FORKED}"
        ),
        '- z = torch.zeros(3, device="cuda")\n+ z = torch.zeros(3)',
    ),
    "a torchcodec for another torch": (
        (
            f"{CODEC}The PyTorch version (2.7.1+cu126) is not compatible\n"
            "FFmpeg version 6: /v/torchcodec/libtorchcodec_core6.so: undefined symbol: _ZNK3c10\n"
        ),
        "python -m pip install 'torchcodec==0.5.*'",
    ),
    "no FFmpeg in Colab": (f"/tmp/ipython-input-9.py in f()\n{CODEC}", "!apt-get install -y ff"),
    "an image for an older CUDA": (
        "$ docker run --rm pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel python a.py\n"
        + OLD_DRIVER.format("12.4"),
        "docker run --rm pytorch/pytorch:2.5.1-cuda11.8-cudnn9-devel python a.py",
    ),
    "an image for the CUDA of nvidia-smi": (
        "$ docker compose up train\n"
        + OLD_DRIVER.format("13.0")
        + "    image: pytorch/pytorch:2.9.0-cuda13.0-cudnn9-runtime\n"
        "| NVIDIA-SMI 570.18   Driver Version: 570.18   CUDA Version: 12.8  |\n",
        "services:\n  train:\n    image: pytorch/pytorch:2.9.0-cuda12.6-cudnn9-runtime",
    ),
    "data on a drive of Windows": (
        "$ python t.py --data /mnt/e/sets/coco\ndrive type 9p (rw,aname=drvfs;path=E:)\n"
        + "".join(f"Epoch: [0][ {n}0/500] Time 9.20 ( 9.87) Data 8.99 ( 9.65)\n" for n in "1234"),
        "cp -r /mnt/e/sets/coco ~/",
    ),
    "no inodes": (NO_SPACE + INODES, "du --inodes -x --max-depth=3 /data | sort -n | tail -n 20"),
    "no bytes": (NO_SPACE + BYTES, "pip cache purge\ndu -xah /data/tiles/7/"),
    "a quota": (
        "srun: job 7 started\n  torch.save(x, path)\nOSError: [Errno 122] Disk quota exceeded\n",
        "python -m pip cache purge",
    ),
    "memory in a table of sacct": (
        f"{KILLED}JobID   ReqMem     MaxRSS      State\n77       40G            OUT_OF_MEMORY\n",
        "#SBATCH --mem=80G",
    ),
    "half of the batches of the Trainer": (
        (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.83 GiB.\n"
            "args: per_device_train_batch_size=8 gradient_accumulation_steps=2 max_length=8192\n"
        ),
        "per_device_train_batch_size=4, gradient_accumulation_steps=4)",
    ),
    "memory of a pod with a short hash": (
        (
            "$ kubectl logs clip-worker-7c9b-x2lqp\n      Reason:       OOMKilled\n"
            "      memory:          16Gi\n"
        ),
        "kubectl set resources deployment clip-worker --limits=memory=32Gi",
    ),
    "memory that Slurm had granted": (
        f"{KILLED}$ seff 7\nMemory Utilized: 95.1 GB\nMemory Efficiency: 99.10% of 96.00 GB\n",
        "#SBATCH --mem=192G",
    ),
    "HDF5 opened by several to write": (
        f'    self.f = h5py.File(self.name, mode="r+")\n{LOCKED}',
        'h5py.File(self.name, "r")',
    ),
    "HDF5 opened to read": (
        f'    self.f = h5py.File(self.name, "r")\n{LOCKED}',
        "export HDF5_USE_FILE_LOCKING=FALSE",
    ),
    "workers and images of the settings": (
        (
            "$ kubectl logs job/retina\nINFO bs=64 workers=12 prefetch=4 crop=512\nRuntimeError:"
            " DataLoader worker (pid 7) is killed by signal: Bus error.\n"
        ),
        "sizeLimit: 16Gi",
    ),
    "workers of all ranks": (
        (
            "4 gpus, 8 workers each\n$ docker run img python t.py\nRuntimeError: DataLoader"
            " worker (pid 7) is killed by signal: Bus error.\n"
        ),
        "docker run --shm-size=23g img python t.py",
    ),
    "one CPU for many workers": (
        f"srun: job 7 queued and waiting for resources\n{SUGGESTED.format(16, 2)}{SLOW}",
        "#SBATCH --cpus-per-task=17",
    ),
}


@pytest.mark.parametrize(("log", "wanted"), CASES.values(), ids=CASES)
def test_first_remedy_is_of_the_figures(log: str, wanted: str) -> None:
    first, *_ = list_remedies(log)

    assert wanted in f"{first.shell}\n{first.snippet}"


def test_a_few_more_workers_than_cpus_explain_no_slow_data() -> None:
    first, *_ = list_remedies("srun: job 7 queued\n" + SUGGESTED.format(8, 6) + SLOW)

    assert "cpus-per-task" not in first.shell


@pytest.mark.skipif(sys.platform != "linux", reason="du of GNU")
def test_line_for_inodes_counts_files(tmp_path: Path) -> None:
    (tmp_path / "tiles").mkdir()
    for number in range(3):
        (tmp_path / f"tiles/{number}.png").touch()
    log = NO_SPACE + INODES.replace("/data", str(tmp_path))

    line = list_remedies(log)[0].snippet
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == [f"4\t{tmp_path}/tiles", f"5\t{tmp_path}"]
