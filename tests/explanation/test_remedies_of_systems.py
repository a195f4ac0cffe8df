"""First remedies of logs whose fault lies in a system: its drivers, mounts and programs."""

import pytest

from tests.explanation.test_remedies_of_logs import first_text


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        pytest.param(
            "/opt/pyenv/versions/3.11.9/lib/python3.11/lzma.py\n"
            "ModuleNotFoundError: No module named '_lzma'\n",
            "sudo apt-get update && sudo apt-get install -y build-essential libssl-dev zlib1g-dev"
            " libbz2-dev libreadline-dev libsqlite3-dev libncurses-dev tk-dev libffi-dev"
            " liblzma-dev\npyenv install --force 3.11.9",
            id="a Python that was built without a library",
        ),
        pytest.param(
            "Linux 5.14.0-503.el9.x86_64\nModuleNotFoundError: No module named '_sqlite3'\n",
            "sudo dnf install -y gcc gcc-c++ make openssl-devel zlib-devel bzip2-devel"
            " readline-devel sqlite-devel ncurses-devel tk-devel libffi-devel xz-devel",
            id="the same of a Red Hat",
        ),
        pytest.param(
            "ModuleNotFoundError: No module named 'tkinter'\n",
            "sudo apt-get install -y python3-tk",
            id="what Debian has in a package of its own",
        ),
        pytest.param(
            "$ nohup torchrun --nproc_per_node 2 fit.py &\n"
            "torch.distributed.elastic.multiprocessing.api.SignalException:"
            " Process 771 got signal: 1\n",
            "tmux new-session -s train",
            id="a connection that was lost",
        ),
        pytest.param(
            'ds = load_dataset("json", cache_dir="/lustre/u/hf")\n'
            "    fcntl.flock(fd, fcntl.LOCK_EX)\nOSError: [Errno 38] Function not implemented\n",
            'cache_dir="/tmp/huggingface"',
            id="a cache that the code names, on a mount without locks",
        ),
        pytest.param(
            "lsmod | grep nouveau\nnouveau 2306048 4\nNVIDIA-SMI has failed because it couldn't"
            " communicate with the NVIDIA driver.\n",
            "echo 'blacklist nouveau' | sudo tee /etc/modprobe.d/blacklist-nouveau.conf",
            id="nouveau",
        ),
        pytest.param(
            "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service\n",
            "sudo update-secureboot-policy --new-key",
            id="Secure Boot",
        ),
        pytest.param(
            "RuntimeError: Attempting to deserialize object on CUDA device 3 but"
            " torch.cuda.device_count() is 1.\n",
            'state = torch.load(path, map_location="cpu")',
            id="a checkpoint of another GPU",
        ),
        pytest.param(
            "RuntimeError: Caught BadZipFile in DataLoader worker process 2.\n"
            "    data = self.zf.read(name)\nzipfile.BadZipFile: Bad magic number for file header\n",
            "import zipfile\n\n\ndef __init__(self, path):\n    self.path = path\n",
            id="an archive that workers share",
        ),
        pytest.param(
            "$ docker run -v /home/a/set:/data img python t.py\nFileNotFoundError: [Errno 2] No"
            " such file or directory: '/data/1.jpg'\n"
            "lrwxrwxrwx 1 a a 31 Jan  1 10:00 1.jpg -> /mnt/big/imgs/1.jpg\n",
            "docker run -v /mnt/big/imgs:/mnt/big/imgs:ro -v /home/a/set:/data img python t.py",
            id="links of a dataset",
        ),
        pytest.param(
            "$ gcsfuse sets /mnt/sets\nls: cannot access 'a': No such file or directory\n",
            "fusermount -u /mnt/sets\ngcsfuse --implicit-dirs sets /mnt/sets",
            id="folders of a bucket",
        ),
        pytest.param(
            "ray.exceptions.OutOfDiskError: Local disk is full\n",
            'ray.init(_temp_dir="/scratch/ray")',
            id="objects of Ray",
        ),
        pytest.param(
            "$ docker run -v /nfs/me:/d img python t.py\n"
            "PermissionError: [Errno 13] Permission denied: '/d/ckpt'\n",
            "docker run --user $(id -u):$(id -g) -v /nfs/me:/d img python t.py",
            id="a mount that root may not write",
        ),
        pytest.param(
            'could not select device driver "" with capabilities: [[gpu]].\n/snap/bin/docker\n',
            "sudo snap remove docker",
            id="the Docker of snap",
        ),
        pytest.param(
            "  Warning  FailedScheduling  12s   default-scheduler  0/3 nodes are available: 3"
            " Insufficient nvidia.com/gpu.\n",
            "kubectl create -f https://raw.githubusercontent.com/NVIDIA/k8s-device-plugin",
            id="a cluster without GPUs",
        ),
        pytest.param(
            "failed to register layer: write /opt/x.so: no space left on device\n",
            "docker system prune",
            id="no room for an image",
        ),
        pytest.param(
            "ImportError: peft>=0.10 is required: please run `pip install -U peft`\n",
            "python -m pip install peft",
            id="an upgrade that the message names",
        ),
    ],
)
def test_first_remedy(log: str, wanted: str) -> None:
    assert first_text(log).startswith(wanted)
