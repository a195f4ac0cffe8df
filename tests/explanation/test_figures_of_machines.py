"""What a log says of the machine, its GPU and its commands decides the first remedy."""

import pytest

from tests.explanation.test_figures_of_logs import NO_SPACE, SUGGESTED
from tests.explanation.test_remedies_of_logs import OPENBLAS, list_remedies

CASES = {
    "the workers of the command": (
        "[WinError 1455] The paging file is too small\n> python fit.py --workers 16 --bs 8\n",
        "python fit.py --workers 4 --bs 8",
    ),
    "half of the workers of the settings": (
        (
            "INFO cfg num_workers=12\nRuntimeError: DataLoader worker (pid 9) is killed by"
            " signal: Killed.\n"
        ),
        "DataLoader(..., num_workers=6, prefetch_factor=1)",
    ),
    "the image of an older CUDA": (
        (
            "$ docker run --rm pytorch/pytorch:2.9.0-cuda12.8-cudnn9-runtime python a.py\n"
            "The NVIDIA driver on your system is too old (found version 12020).\n"
        ),
        "docker run --rm pytorch/pytorch:2.7.1-cuda11.8-cudnn9-runtime python a.py",
    ),
    "triton of this torch": (
        (
            "torch._inductor.exc.TritonMissing: Cannot find a working triton installation\n"
            "PS C:\\w> python -c 'import torch; print(torch.__version__)'\n2.7.1+cu128\n"
        ),
        'python -m pip install -U "triton-windows<3.4"',
    ),
    "an interface that is up": (
        (
            "srun: job 7 started\nn1:4:4 [0] NCCL INFO Bootstrap : Using docker0:172.17.0.1<0>\n"
            "docker0          DOWN           172.17.0.1/16\nib0     UP             10.12.0.1/16\n"
        ),
        "export NCCL_SOCKET_IFNAME=ib0 GLOO_SOCKET_IFNAME=ib0",
    ),
    "inodes in thousands": (
        NO_SPACE + "Filesystem     Inodes IUsed IFree IUse% Mounted on\n"
        "beegfs            20M   20M     0  100% /data\n",
        "du --inodes -x --max-depth=3 /data",
    ),
    "checkpoints that fill a quota": (
        '    torch.save(ck, f"ckpt/g_{step:06d}.pt")\nOSError: [Errno 122] Disk quota exceeded\n',
        "rm -I -- $(ls -t ckpt/g_[0-9]*.pt | tail -n +4)",
    ),
    "a model that could not be reached": (
        (
            "OSError: We couldn't connect to 'https://huggingface.co' to load the files. Couldn't"
            " reach lab/bert-large\nsrun: error: n1: task 0: Exited with exit code 1\n"
        ),
        "hf download lab/bert-large",
    ),
    "the processor of QEMU": (
        (
            "$ python -c 'import torch'\nIllegal instruction (core dumped)\n"
            "Model name:          QEMU Virtual CPU version 2.5+\n"
        ),
        '<cpu mode="host-passthrough"/>',
    ),
    "workers of a manifest": (
        (
            'kind: Job\nmetadata:\n  name: unet\n        command: ["python", "t.py", "--workers",'
            ' "12"]\n'
            "unable to write to file </torch_4_2_7>\n"
        ),
        "sizeLimit: 9Gi",
    ),
    "CPUs for workers that are late": (
        (
            f"{SUGGESTED.format(16, 4)}"
            "epoch 0 step 50 data_time 1.81 step_time 2.02\nsrun: job 7 queued\n"
        ),
        "#SBATCH --cpus-per-task=16",
    ),
    "OpenCV with more modules": (
        (
            "ImportError: libGL.so.1: cannot open shared object file: No such file or directory\n"
            "opencv-contrib-python     4.10.0.84\n"
        ),
        "python -m pip uninstall -y opencv-contrib-python",
    ),
    "a lock of the dataset": (
        "    self.guard = threading.Lock()\nTypeError: cannot pickle '_thread.lock' object\n",
        'return {**self.__dict__, "guard": None}',
    ),
    "a cache beyond the quota": (
        "OSError: [Errno 122] Disk quota exceeded: '/home/m/.cache/huggingface/hub/x'\n",
        "HF_HOME=${SCRATCH:-/tmp/$(id -un)}/cache/huggingface",
    ),
    "a clip in brackets": (
        (
            "decord._ffi.base.DECORDError: [10:01:02] /w/src/video/video_reader.cc:270:"
            " [/data/ssv2/88812.webm] Failed to seek file to position 0\n"
        ),
        "mv -n /data/ssv2/88812.webm /data/ssv2/88812.webm.damaged",
    ),
    "the port of a service": (
        (
            "RuntimeError: The server socket has failed to listen on any local network address."
            " port: 29500, code: -98, name: EADDRINUSE\n$ docker compose up ddp\n"
        ),
        'services:\n  ddp:\n    environment:\n      MASTER_PORT: "29501"',
    ),
    "a hard limit that stands in the log": (
        "RuntimeError: received 0 items of ancdata\n$ ulimit -Hn\n4096\n",
        "ulimit -n 4096",
    ),
    "memory of a control group": (
        (
            "$ docker run i python t.py\nRuntimeError: DataLoader worker (pid 9) is killed by"
            " signal: Killed.\n# cat /sys/fs/cgroup/memory.max\n17179869184\n"
        ),
        "docker run --memory=32g i python t.py",
    ),
    "a pod in a list": (
        (
            "NAME                          READY   STATUS      RESTARTS      AGE\n"
            "ranker-train-5f7d9c6b8c-9xk2m 0/1     OOMKilled   2 (31s ago)   9m\n"
            "      Reason:       OOMKilled\n      memory:          24Gi\n"
        ),
        "kubectl set resources deployment ranker-train --limits=memory=48Gi",
    ),
    "Apex without its extensions": (
        "ModuleNotFoundError: No module named 'amp_C'\n",
        "APEX_CPP_EXT=1 APEX_CUDA_EXT=1 python -m pip install",
    ),
    "a full /tmp": (
        (
            "OSError: [Errno 28] No space left on device: '/tmp/pymp-8y2'\n"
            "tmpfs           2.0G  2.0G     0 100% /tmp\n"
        ),
        "export TMPDIR=/var/tmp",
    ),
    "a server that does not answer": (
        "nas:/x on /data type nfs (rw,hard)\nnfs: server nas not responding, still trying\n",
        "sudo umount -f -l /data\nsudo mount /data",
    ),
    "data of the command": (
        "$ python main.py /nfs/sets/imagenet -a resnet50\n"
        + "".join(
            f"Epoch: [0][{n}0/500]\tTime  4.81 ( 4.73)\tData  4.42 ( 4.35)\n" for n in "1234"
        ),
        "cp -r /nfs/sets/imagenet/. /var/tmp/data/",
    ),
    "data on a Drive": (
        "/content/drive/MyDrive/pets\n" + "data time 18.9 s, step time 19.6 s\n" * 3,
        'shutil.copytree("/content/drive/MyDrive/pets", "/content/pets", dirs_exist_ok=True)',
    ),
    "results in an image": (
        (
            "$ apptainer exec --nv d.sif python t.py\n"
            "OSError: [Errno 30] Read-only file system: '/opt/det/work_dirs'\n"
        ),
        "apptainer exec --bind=$PWD/work_dirs:/opt/det/work_dirs --nv d.sif python t.py",
    ),
    "labels of a volume": (
        (
            "avc:  denied  { read } for  pid=7 scontext=system_u:system_r:container_t:s0:c1,c2\n"
            "    volumes:\n      - /home/lk/bdd:/data:ro\n"
        ),
        "sudo chcon -R -t container_file_t /home/lk/bdd",
    ),
    "a proxy that is known": (
        (
            "$ kubectl logs deploy/emb\nHTTPSConnectionPool(host='c.example'): Max retries"
            " exceeded with url: /x (Caused by NewConnectionError('Failed to establish a new"
            " connection'))\n  HTTPS_PROXY: http://proxy.example:8080\n"
        ),
        "kubectl set env deployment/emb HTTPS_PROXY=http://proxy.example:8080",
    ),
    "a torch that this Python lacks": (
        (
            "ERROR: Could not find a version that satisfies the requirement torch==1.12.1 (from"
            " versions: 2.2.0, 2.2.1)\n$ pip install -r r.txt\n"
        ),
        "python -m uv pip install --python .venv-py310 -r r.txt",
    ),
    "a volume with room": (
        (
            "OSError: [Errno 28] No space left on device: '/workspace/out/step_100.pt'\n"
            "$ kubectl exec sdxl-0 -- df -h\n/dev/sdb        500G   80G  420G  16% /mnt/pvc\n"
        ),
        'folder = "/mnt/pvc/out"',
    ),
    "packages of the home folder": (
        (
            "ImportError: /home/b/.local/lib/python3.10/site-packages/torch/lib/libtorch_cuda.so:"
            " undefined symbol: ncclCommRegister\n(rl) b@w:~$ which python\n"
        ),
        "export PYTHONNOUSERSITE=1",
    ),
    "the batch of the training, not of its validation": (
        (
            "batch size: 256\nval batch size: 128\nargs: --test-batch-size 128\n"
            "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
        ),
        "DataLoader(..., batch_size=128)",
    ),
    "a disk with errors": (
        (
            "OSError: [Errno 30] Read-only file system: '/mnt/s/a.pt'\nEXT4-fs error (device sdb1):"
            " ext4_journal_check_start:83: Detected aborted journal\n"
        ),
        "sudo umount /dev/sdb1\nsudo fsck -f /dev/sdb1",
    ),
    "a partition of the disk with errors": (
        (
            "OSError: [Errno 30] Read-only file system: '/mnt/s/a.pt'\n"
            "blk_update_request: I/O error, dev sdb, sector 1120403456 op 0x1:(WRITE)\n"
            "EXT4-fs (sdb1): Remounting filesystem read-only\n"
        ),
        "sudo umount /dev/sdb1\nsudo fsck -f /dev/sdb1",
    ),
    "a disk with XFS": (
        (
            "OSError: [Errno 5] Input/output error: '/mnt/s/a.pt'\n"
            "I/O error, dev sdc, sector 112040 op 0x1:(WRITE)\n"
            "XFS (sdc2): log I/O error -5\nXFS (sdc2): Shutting down filesystem\n"
        ),
        "sudo umount /dev/sdc2\nsudo xfs_repair /dev/sdc2",
    ),
    "no limit of the user": (
        OPENBLAS.format(-1, -1),
        "export OMP_NUM_THREADS=1",
    ),
    "twice what PBS gave": (
        "=>> PBS: job killed: mem 33512332kb exceeded limit 32000000kb\n",
        "qsub -l mem=64000000kb",
    ),
    "the torch of this driver": (
        (
            "| NVIDIA-SMI 550.54.15    Driver Version: 550.54.15    CUDA Version: 12.4     |\n"
            "torch 2.10.0+cu130\nis_available: False\n"
        ),
        "python -m pip install torch==2.10.0+cu128 torchvision==0.25.0+cu128",
    ),
    "an image that the driver does not run": (
        "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.4\n",
        "docker run --rm --gpus all pytorch/pytorch:2.7.1-cuda11.8-cudnn9-runtime",
    ),
    "a module of no kernel": (
        "modprobe: FATAL: Module nvidia_uvm not found in directory /lib/modules/6.1.0-13-amd64\n",
        "sudo dkms autoinstall\nsudo modprobe nvidia_uvm",
    ),
    "a toolkit in two lines": (
        (
            "RuntimeError: The detected CUDA version (12.8) mismatches the version that was used to"
            " compile\n      PyTorch (11.8). Please make sure to use the same CUDA versions.\n"
        ),
        "conda install -y -c nvidia/label/cuda-11.8.0 cuda-toolkit",
    ),
    "a pool that cannot be disabled": (
        (
            'Thread 6120 (idle): "MainThread"\n    collect (polars/lazyframe/frame.py:2330)\n'
            "    __getitem__ (table.py:41)\n"
            "    _worker_loop (torch/utils/data/_utils/worker.py:351)\n"
        ),
        'DataLoader(..., multiprocessing_context="forkserver")',
    ),
    "the shard that curl asked for": (
        "OSError: (('/bin/bash -c curl -s -L https://h/s-0001.tar',), {}): exit 56 (read) {}\n",
        '"pipe:curl -fsSL --retry 8 --retry-all-errors https://h/s-0001.tar"',
    ),
    "a program that Windows lacks": (
        (
            '  File "C:\\v\\lib\\site-packages\\whisper\\audio.py", line 58, in load_audio\n'
            "FileNotFoundError: [WinError 2] The system cannot find the file specified\n"
        ),
        "winget install --exact --id Gyan.FFmpeg",
    ),
    "an extension of PyG": (
        (
            "RuntimeError: Detected that PyTorch and torch_sparse were compiled with different CUDA"
            " versions. PyTorch has CUDA version 11.8 and torch_sparse has CUDA version 11.7.\n"
        ),
        "-f https://data.pyg.org/whl/torch-$(python -c 'import torch; print(torch.__version__)')",
    ),
}


@pytest.mark.parametrize(("log", "wanted"), CASES.values(), ids=CASES)
def test_first_remedy_is_of_the_machine(log: str, wanted: str) -> None:
    first, *_ = list_remedies(log)

    assert wanted in f"{first.shell}\n{first.snippet}"
