"""The first remedy is the one that those who had the same error took."""

import pytest

from tests.explanation.test_remedies_of_logs import first_text, list_remedies

WATCHDOG = (
    "[rank{0}]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2,"
    " OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600900 milliseconds before timing out.\n"
)
DENIED = "PermissionError: [Errno 13] Permission denied: '/out/run1'\n"
NO_DRIVER = "RuntimeError: Found no NVIDIA driver on your system.\n"
BACKEND = "RuntimeError: Couldn't find appropriate backend to handle uri"
FORKED = "RuntimeError: Cannot re-initialize CUDA in forked subprocess.\n"
SCANDIR = (
    "    names = [e.name for e in os.scandir(directory)]\n"
    "PermissionError: [Errno 13] Permission denied: '/p/birds/train'\n"
)


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        pytest.param(
            "Could not load library libcudnn_cnn_infer.so.8. Error: libnvrtc.so: cannot open"
            " shared object file: No such file or directory\n",
            "cd \"$(python -c 'import os, torch;",
            id="the compiler that cuDNN loads",
        ),
        pytest.param(
            f"{BACKEND} a.wav and format None.\n",
            "python -m pip install soundfile",
            id="a backend for sounds",
        ),
        pytest.param(
            f"{BACKEND} a.mp4 and format None.\n",
            "sudo apt-get install -y ffmpeg",
            id="a backend for films",
        ),
        pytest.param(
            '  File "/v/filelock/_unix.py", line 43, in _acquire\n'
            "    fcntl.flock(fd, fcntl.LOCK_EX)\nOSError: [Errno 5] Input/output error\n",
            "export HF_HOME=/tmp/huggingface",
            id="a file system that answers locks with an error",
        ),
        pytest.param(
            f"Running tokenizer on dataset:  47%|##   | 1/3 [30:09<33:25, 9 x/s]\n{WATCHDOG}",
            "from datetime import timedelta",
            id="a tokenizer that one rank runs",
        ),
        pytest.param(
            f"GPU 0: NVIDIA GeForce RTX 4090\n{WATCHDOG}{WATCHDOG.replace('0}', '1}')}",
            "export NCCL_P2P_DISABLE=1",
            id="cards without transfers between them",
        ),
        pytest.param(
            '    reduction.dump(process_obj, fp)\nTypeError: cannot pickle "_thread.lock" object\n'
            "TypeError: can't pickle _thread.RLock objects\n",
            "def __getstate__(self):",
            id="a lock",
        ),
        pytest.param(
            f'  File "/w/d.py", line 4, in __getitem__\n    x = x.to(self.device)\n{FORKED}',
            "- x = x.to(self.device)",
            id="a line that does nothing else",
        ),
        pytest.param(
            "    torch.save(m, 'ckpt/last.pt')\nOSError: [Errno 28] No space left on device\n",
            "python -m pip cache purge\ndu -xah ckpt/",
            id="what can go at once, then what is largest",
        ),
        pytest.param(
            "hangs at the first batch with num_workers=4, works with num_workers=0; py-spy shows"
            " the worker in cv2.resize\n",
            "cv2.setNumThreads(0)",
            id="threads of OpenCV",
        ),
        pytest.param(
            f"{DENIED}$ kubectl exec ft-5d9c7f6b8-qx2zt -- sh -c 'id; ls -ld /out'\n"
            "uid=1021 gid=1021 groups=1021\ndrwxr-xr-x 2 root root 4096 Jan  1 00:00 /out\n",
            "kubectl patch deployment ft --patch"
            """ '{"spec":{"template":{"spec":{"securityContext":{"fsGroup":1021}}}}}'""",
            id="a volume of a pod",
        ),
        pytest.param(
            "$ docker run -u 1021 -v /srv/o:/out img python t.py\n"
            f"{DENIED}$ ls -ld /srv/o\ndrwxr-xr-x 2 root root 4096 Jan  1 00:00 /srv/o\n",
            "sudo chown -R 1021 /srv/o",
            id="a folder of the host",
        ),
        pytest.param(
            f"{NO_DRIVER}$ apptainer exec torch.sif python t.py\n",
            "apptainer exec --nv torch.sif python t.py",
            id="an image of Apptainer without GPUs",
        ),
        pytest.param(
            f"$ srun -p gpu --pty bash\n{NO_DRIVER}",
            "srun --gres=gpu:1 -p gpu --pty bash",
            id="a session without GPUs",
        ),
        pytest.param(
            "OutOfMemoryError: CUDA out of memory. Tried to allocate 112.00 MiB. Process 81 has"
            " 14.73 GiB memory in use. Of the allocated memory 14.50 GiB is allocated by PyTorch\n",
            "Halve batch_size",
            id="a process that is this one",
        ),
        pytest.param(
            "JobID  State  ReqMem\n88123   OUT_OF_ME+    32G\nslurmstepd: error: Detected 1"
            " oom_kill event in StepId=88123.batch.\n",
            "#SBATCH --mem=64G",
            id="twice what sacct says",
        ),
        pytest.param(
            "trainer-1  | RuntimeError: DataLoader worker (pid 88) is killed by signal: Killed.\n"
            "    mem_limit: 8g\n$ docker compose logs trainer\n",
            "services:\n  trainer:\n    mem_limit: 16g",
            id="twice what Compose says",
        ),
        pytest.param(
            "RuntimeError: Parent directory /out/a does not exist.\n$ docker run img python t.py\n",
            'docker run -v "$PWD/a:/out/a" img python t.py',
            id="a folder of a container that nothing is mounted at",
        ),
        pytest.param(
            "trainer-1  | RuntimeError: Parent directory /out does not exist.\n"
            "$ docker compose logs trainer\n",
            'services:\n  trainer:\n    volumes:\n      - "./out:/out"',
            id="the same of a service",
        ),
        pytest.param(
            "    with open(path, 'w') as f:\n"
            "FileNotFoundError: [Errno 2] No such file or directory: '/scratch/u/logs/a.json'\n",
            "mkdir -p /scratch/u/logs",
            id="a folder that the job writes to",
        ),
        pytest.param(
            f"{SCANDIR}srun: job 7 started\n[kim@login3 ~]$ ls -ld /p/birds\n"
            "drwxr-x--- 14 mweber birdlab 4096 Mar  2 10:11 /p/birds\n",
            "setfacl -R -m u:kim:rX /p/birds",
            id="data of a group",
        ),
        pytest.param(
            f"{SCANDIR}$ kubectl exec -n vis -c gpu seg-0 -- ls -ldn /p/birds\n"
            "drwxr-x--- 14 1000 5005 4096 Mar  2 10:11 /p/birds\n",
            "kubectl patch statefulset seg --patch"
            """ '{"spec":{"template":{"spec":{"securityContext":{"supplementalGroups":[5005]}}}}}"""
            "' --namespace vis",
            id="a volume of a group",
        ),
        pytest.param(
            f"$ python t.py\n{SCANDIR}",
            'sudo setfacl -R -m "u:$(id -un):rX" /p/birds',
            id="data of another user",
        ),
        pytest.param(
            "deepspeed.ops.op_builder.builder.CUDAMismatchException: >- DeepSpeed Op Builder:"
            " Installed CUDA version 11.8 does not match the version torch was compiled with 12.4\n"
            "$ ls /usr/local\nbin  cuda-11.8  cuda-12.4  lib\n$ ls -d /usr/local/cuda*\n"
            "/usr/local/cuda  /usr/local/cuda-11.8  /usr/local/cuda-12.4\n",
            "export CUDA_HOME=/usr/local/cuda-12.4 PATH=/usr/local/cuda-12.4/bin:$PATH",
            id="a toolkit that is there",
        ),
    ],
)
def test_first_remedy(log: str, wanted: str) -> None:
    assert first_text(log).startswith(wanted)


def test_mapping_of_windows_is_the_paging_file() -> None:
    log = "RuntimeError: Couldn't open shared file mapping: <torch_1_2>, error code: <1455>\n"

    assert list_remedies(log)[0].title.startswith("Increase the paging file")
