"""Remedies of logs whose fault lies outside of the job: hosts, mounts, tools of the system."""

import pytest

from tests.explanation.test_remedies_of_logs import first_text

MANAGED = "error: externally-managed-environment\n"
NO_COMPILER = "RuntimeError: Failed to find C compiler. Please specify via CC.\n"
UNTRUSTED = "ssl.SSLError: CERTIFICATE_VERIFY_FAILED: self-signed certificate in chain\n"
OLD_DRIVER = "CUDA error: CUDA driver version is insufficient for CUDA runtime version\n"
NO_DRIVER = "WARNING: The NVIDIA Driver was not detected.\nFound no NVIDIA driver on your system.\n"
OUT_OF_MEMORY = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
NO_HUB = (
    "HTTPSConnectionPool(host='huggingface.co', port=443): Max retries exceeded with url:"
    " /org/model-1b/resolve/main/config.json (Caused by NewConnectionError('[Errno 101]'))\n"
)


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        pytest.param(
            f"$ sudo pip install --user 'timm>=1' einops\n{MANAGED}",
            "python3 -m venv .venv\n.venv/bin/python -m pip install 'timm>=1' einops",
            id="the refused packages",
        ),
        pytest.param(
            f"#6 [2/3] RUN pip install timm\n#6 0.7 {MANAGED}",
            "ENV PATH=/opt/venv/bin:$PATH\nRUN python -m pip install timm",
            id="an environment of the image",
        ),
        pytest.param(
            f"srun: job 7 queued\n{NO_COMPILER}", "module load gcc", id="a compiler of a cluster"
        ),
        pytest.param(
            f"$ docker run trainer\n{NO_COMPILER}",
            "RUN apt-get update && apt-get install -y build-essential",
            id="a compiler of an image",
        ),
        pytest.param(
            f"/home/a/miniconda3/envs/x/lib/python3.11/a.py\n{NO_COMPILER}",
            "conda install --name x --channel conda-forge gxx_linux-64",
            id="a compiler of conda",
        ),
        pytest.param(UNTRUSTED, "SSL_CERT_FILE=$(ls /etc/ssl/certs", id="a proxy"),
        pytest.param(
            f"Linux 5.14.0-503.el9.x86_64\n{UNTRUSTED}",
            "/etc/pki/tls/certs/ca-bundle.crt",
            id="a proxy, where there is no Debian",
        ),
        pytest.param(
            "SSL: CERTIFICATE_VERIFY_FAILED] certificate is not yet valid\n",
            "sudo timedatectl set-ntp true",
            id="a clock that is behind",
        ),
        pytest.param(
            f"srun: job 7 queued\n{NO_HUB}",
            "hf download org/model-1b\nexport HF_HUB_OFFLINE=1",
            id="a model without a network",
        ),
        pytest.param(
            f"$ docker run -it t:1 python a.py\n{NO_HUB}",
            "docker run --network=host -it t:1 python a.py",
            id="a container without a network",
        ),
        pytest.param(
            "HfHubHTTPError: 429 Client Error for url: https://huggingface.co/api/datasets/o/d/tree\n",
            "hf download --repo-type dataset --max-workers 4 o/d",
            id="too many requests",
        ),
        pytest.param(
            "OSError: [Errno 116] Stale file handle: '/nfs/a/b.bin'\n"
            "srun: error: n21: task 3: Exited with exit code 1\n",
            "#SBATCH --exclude=n21",
            id="a node with a stale mount",
        ),
        pytest.param(
            "$ rclone mount s3:b /mnt/b --read-only\n"
            "OSError: [Errno 107] Transport endpoint is not connected: '/mnt/b/0.tar'\n",
            "fusermount -uz /mnt/b\nrclone mount s3:b /mnt/b --read-only",
            id="the command of a mount",
        ),
        pytest.param(
            "RuntimeError: Could not open input file: /d/v 1.mp4 Invalid data found when"
            " processing input\n",
            "find . -name '*.mp4'",
            id="no part of a name with a space",
        ),
        pytest.param(
            "av.error.EOFError: [Errno 541478725] End of file: '/d/v.mkv'\n",
            "mv -n /d/v.mkv /d/v.mkv.damaged",
            id="a damaged video",
        ),
        pytest.param(
            "$ docker run -v /a/im:/d:ro -v $PWD:/w y:8 train\n"
            "OSError: [Errno 30] Read-only file system: '/d/labels.cache'\n",
            "docker run -v /a/im:/d -v $PWD:/w y:8 train",
            id="a volume that may be written",
        ),
        pytest.param(
            "$ docker run -v /a/im:/d:ro y:8 train\n"
            "OSError: [Errno 30] Read-only file system: '/root/.cache/huggingface'\n",
            "HF_HOME=/tmp/huggingface",
            id="another folder than that of the volume",
        ),
        pytest.param(
            "Filesystem   Inodes    IUsed IFree IUse% Mounted on\n"
            "/dev/sdc1   3276800  3276800     0  100% /mnt/crops\n"
            "OSError: [Errno 28] No space left on device: '/mnt/crops/a/1.jpg'\n",
            "du --inodes -x --max-depth=3 /mnt/crops",
            id="no inode is left",
        ),
        pytest.param(
            "$ kubectl describe pod enc-0\n"
            "Warning  Evicted  kubelet  Pod ephemeral local storage usage exceeds the total limit"
            " of containers 12Gi.\n",
            "kubectl set resources statefulset enc --limits=ephemeral-storage=24Gi",
            id="twice the limit",
        ),
        pytest.param(
            f"+ srun singularity run -B /d a.sif python t.py\n{NO_DRIVER}",
            "srun singularity run --nv -B /d a.sif python t.py",
            id="the user's own container of Apptainer",
        ),
        pytest.param(
            f"{OUT_OF_MEMORY} Process 811 has 60.00 GiB memory in use. Process 9 has 2.00 GiB"
            " memory in use. Including x, this process has 16.00 GiB memory in use.\n",
            "kill 811",
            id="the memory of another process",
        ),
        pytest.param(
            f"{OUT_OF_MEMORY} Process 811 has 2.00 GiB memory in use. Including x, this process"
            " has 76.00 GiB memory in use. batch_size=64\n",
            "batch_size=32",
            id="the memory of its own",
        ),
        pytest.param(
            "RuntimeError: CUDA out of memory. (GPU 0; 23.70 GiB total capacity; 1.10 GiB already"
            " allocated; 12.00 MiB free; 1.20 GiB reserved in total by PyTorch)\n",
            "nvidia-smi --query-compute-apps=pid",
            id="the memory of another, of an older torch",
        ),
        pytest.param(
            "tarfile.ReadError: ('unexpected end of data', '/d/wds/p-12.tar')\n",
            "mv -n /d/wds/p-12.tar /d/wds/p-12.tar.damaged",
            id="a damaged shard",
        ),
        pytest.param(
            "WARNING shard /d/p-03.tar: truncated header, sample skipped\n"
            "EOFError: Compressed file ended before the end-of-stream marker was reached\n"
            "while reading /d/p-07.tar.gz\n",
            "mv -n /d/p-07.tar.gz /d/p-07.tar.gz.damaged",
            id="a damaged shard beside one that was skipped",
        ),
        pytest.param(
            "$ python make.py --out /d/f.h5\n$ python train.py --data /d/f.h5\n"
            "OSError: Unable to open file (truncated file: eof = 96, stored_eof = 2144)\n",
            "mv -n /d/f.h5 /d/f.h5.damaged\npython make.py --out /d/f.h5",
            id="a damaged file that the log shows how to make",
        ),
        pytest.param(
            "Fetching https://h.example/s/p-12.tar\nreading /d/p-12.tar\n"
            "tarfile.ReadError: unexpected end of data\n",
            "mv -n /d/p-12.tar /d/p-12.tar.damaged\n"
            "curl -fL -o /d/p-12.tar https://h.example/s/p-12.tar",
            id="a damaged file that the log shows where to fetch",
        ),
        pytest.param(
            "$ cp /d/f.h5 /e/g.h5\n$ python train.py --data /d/f.h5\n"
            "OSError: Unable to open file (truncated file: eof = 96, stored_eof = 2144)\n",
            "mv -n /d/f.h5 /d/f.h5.damaged",
            id="a damaged file that a command only read",
        ),
        pytest.param(
            "SafetensorError: Error while deserializing header: HeaderTooLarge\nUnable to load"
            " /h/.cache/huggingface/hub/models--o--m-7b/snapshots/0f/a/model.safetensors\n",
            "hf download o/m-7b a/model.safetensors --force-download",
            id="a damaged file in the cache of the Hub",
        ),
        pytest.param(
            "$ git clone https://huggingface.co/o/turbo ~/m/turbo\n"
            "SafetensorError: Error while deserializing header: HeaderTooLarge\n"
            "version https://git-lfs.github.com/spec/v1\n",
            "cd ~/m/turbo\ngit lfs install\ngit lfs pull",
            id="the folder of a pointer",
        ),
        pytest.param(
            '  File "/lustre/p/data.py", line 7, in __getitem__\n'
            "RuntimeError: DataLoader timed out after 200 seconds\n",
            "DataLoader(..., timeout=1000)",
            id="a file system that answers late",
        ),
        pytest.param(
            "srun: job 7 queued\nThis DataLoader will create 8 worker processes in total. Our"
            " suggested max number of worker in current system is 1, which is smaller\n"
            "[ 100/5004]  Time 4.1 (4.3)  Data 3.9 (4.1)\n",
            "#SBATCH --cpus-per-task=9",
            id="one CPU for all workers",
        ),
        pytest.param(
            f"$ docker run --gpus all x:1\n{OLD_DRIVER}",
            "RUN python -m pip install torch==2.7.1+cu118",
            id="a torch for an older driver, in the image",
        ),
        pytest.param(
            f"uname -r: 5.15.167.4-microsoft-standard-WSL2\n{OLD_DRIVER}",
            "wsl.exe --shutdown",
            id="the driver of Windows",
        ),
        pytest.param(
            "srun: error: g17: task 0: Exited with exit code 1\n"
            "Error 802: system not yet initialized\n",
            "#SBATCH --exclude=g17",
            id="the node that failed",
        ),
        pytest.param(
            "srun: job 7 queued\nlibgomp: Thread creation failed: Resource temporarily"
            " unavailable\n",
            "export OMP_NUM_THREADS=1",
            id="advice where the check knows none for the place",
        ),
        pytest.param(
            "$ python train.py --data-path /mnt/nas/coco\n[ 100/5004]  Time 4.1 (4.3)  Data 3.9"
            " (4.1)\n",
            "cp -r /mnt/nas/coco/. /var/tmp/data/",
            id="the data of a slow disk",
        ),
        pytest.param(
            f"root@node:/app# python3 a.py\n{NO_COMPILER}", "apt-get update\napt-get", id="root"
        ),
    ],
)
def test_what_is_typed_first(log: str, wanted: str) -> None:
    assert wanted in first_text(log)
