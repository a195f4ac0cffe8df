"""First remedies of logs whose fault lies in the data: its files, its shards, its workers."""

import pytest

from pipedoctor.explanation.log_values import find_dataset_folder
from tests.explanation.test_remedies_of_logs import first_text

NO_IMAGE = "PIL.UnidentifiedImageError: cannot identify image file '{}'\n"
NO_LAMBDA = "AttributeError: Can't get local object 'build.<locals>.<lambda>'\n"
PROFILE = "|  [_TrainingEpochLoop].train_dataloader_next  |  1.3  |  900  |  1170.0  |  81.7  |\n"
ADVICE = (
    "The 'train_dataloader' does not have many workers which may be a bottleneck. Consider"
    " increasing the value of the `num_workers` argument` to `num_workers=23` in the `DataLoader`\n"
)
E802 = "RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 802: system not yet"


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        pytest.param(
            "    data = web.WebDataset(cfg.urls, resampled=True).decode('pil')\n"
            "ValueError: you need to add an explicit nodesplitter to your input pipeline\n",
            "web.WebDataset(cfg.urls, resampled=True, nodesplitter=web.split_by_node)",
            id="shards of each rank",
        ),
        pytest.param(
            "        self.db = lmdb.open(root, readonly=True, lock=True, meminit=False)\n"
            "lmdb.ReadersFullError: mdb_txn_begin: MDB_READERS_FULL: Environment maxreaders\n",
            "self.db = lmdb.open(root, readonly=True, meminit=False, lock=False, max_readers=4096)",
            id="readers of LMDB",
        ),
        pytest.param(
            "    env = lmdb.open(out, map_size=4 << 30, subdir=False)\n"
            "lmdb.MapFullError: mdb_put: MDB_MAP_FULL: Environment mapsize limit reached\n",
            "env = lmdb.open(out, map_size=1 << 40, subdir=False)",
            id="room in LMDB",
        ),
        pytest.param(
            "srun: job 7 started\n    row = self.db.execute(SQL).fetchone()\n"
            "sqlite3.OperationalError: disk I/O error\n/home/k/tiles.sqlite on nas type nfs4\n",
            'srun --ntasks-per-node=1 cp /home/k/tiles.sqlite "${SLURM_TMPDIR:-/tmp}/"',
            id="SQLite on a share",
        ),
        pytest.param(
            "[h264] ff_frame_thread_init failed: Resource temporarily unavailable\nin decord\n",
            "decord.VideoReader(path, num_threads=1)",
            id="threads of decoders",
        ),
        pytest.param(
            "    net = AutoModel.from_pretrained('org/vit-base')\nWe couldn't connect to"
            " 'https://huggingface.co' to load the files, and couldn't find them in the cached\n",
            "hf download org/vit-base",
            id="the model of the code",
        ),
        pytest.param(
            "torch 2.9.0+cu130\nModuleNotFoundError: No module named 'nvidia.dali'\n",
            "python -m pip install nvidia-dali-cuda130",
            id="the DALI of torch's CUDA",
        ),
        pytest.param(
            f"$ python train.py --data-root /srv/pets\n{NO_IMAGE.format('/srv/pets/a/b/._1.png')}",
            "find /srv/pets -name '._*' -delete",
            id="forks of files, in the folder of the command",
        ),
        pytest.param(
            NO_IMAGE.format(r"D:\\sets\\birds\\train\\owl\\Thumbs.db"),
            "Get-ChildItem 'D:/sets/birds' -Recurse -Force -Filter '*humbs.db'",
            id="thumbnails of Windows",
        ),
        pytest.param(
            "FileNotFoundError: Found no valid file for the classes .ipynb_checkpoints.\n",
            "find . -type d -name .ipynb_checkpoints -prune -exec rm -r '{}' +",
            id="a folder of Jupyter",
        ),
        pytest.param(
            f"{NO_IMAGE.format('/srv/cars/bmw/4.jpg')}$ file 4.jpg\n4.jpg: empty\n",
            "find /srv/cars/bmw -type f -empty -print -delete",
            id="empty files",
        ),
        pytest.param(
            f"{NO_IMAGE.format('/srv/w/4.jpg')}$ head -c 20 4.jpg\n<!DOCTYPE html><html>\n",
            "grep -rliE --include='*.jpg' '<html|<\\?xml|<error|\"error' /srv/w"
            " | xargs -r -d '\\n' rm -v --",
            id="pages instead of images",
        ),
        pytest.param(
            f"{NO_IMAGE.format('/srv/l/4.png')}$ head -1 4.png\n"
            "version https://git-lfs.github.com/spec/v1\n",
            "git lfs install\ngit -C /srv/l lfs pull",
            id="pointers instead of images",
        ),
        pytest.param(
            f"{NO_LAMBDA}    collate_fn=lambda b: pad_rows(b, pad),\n",
            "from functools import partial\n\n\n"
            "def collate_fn(b, pad):  # at the top level of the module\n"
            "    return pad_rows(b, pad)\n\n\n"
            "DataLoader(..., collate_fn=partial(collate_fn, pad=pad))  # instead of the lambda",
            id="a lambda with a name of its function",
        ),
        pytest.param(
            f"{NO_LAMBDA}        T.Lambda(lambda x, n=3: x.repeat(n, 1, 1)),\n",
            "def apply(x, n=3):  # at the top level of the module\n"
            "    return x.repeat(n, 1, 1)\n\n\nT.Lambda(apply)  # instead of the lambda",
            id="a lambda of a transform",
        ),
        pytest.param(
            f"{ADVICE}{PROFILE}",
            "DataLoader(..., num_workers=23, persistent_workers=True)",
            id="few workers, where a profile shows the wait",
        ),
        pytest.param(
            f"{E802} initialized\nfabric manager NVIDIA GPU driver interface version 535.104.05"
            " don't match with driver version 535.183.01.\n",
            "sudo apt-get install -y --allow-downgrades 'nvidia-fabricmanager-535=535.183.01-*'",
            id="a fabric manager of another version",
        ),
        pytest.param(
            f"{E802} initialized\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun\n"
            "Unit nvidia-fabricmanager.service could not be found.\nLinux 4.18.0-553.el8.x86_64\n",
            "sudo dnf install -y nvidia-fabric-manager-535.183.01",
            id="no fabric manager, on Red Hat",
        ),
        pytest.param(
            "$ cat jobs/vit.sh\n#SBATCH --mem=20G\nslurmstepd: error: Detected 1 oom_kill event\n",
            "sbatch --mem=40G jobs/vit.sh",
            id="the batch script that the log shows",
        ),
        pytest.param(
            "$ uname -r\n5.15.153.1-microsoft-standard-WSL2\nMem:            15Gi        14Gi\n"
            "RuntimeError: DataLoader worker (pid 3120) is killed by signal: Killed.\n",
            "[wsl2]\nmemory=22GB",
            id="memory of WSL",
        ),
        pytest.param(
            "$ pip install torch\n  Downloading torch-2.4.0-cp310-cp310-x.whl (797.2 MB)\nKilled\n",
            "python -m pip install --no-cache-dir torch",
            id="pip that was killed",
        ),
        pytest.param(
            'RuntimeError: collate key "image" out of 2 keys\nRuntimeError: stack expects each'
            " tensor to be equal size, but got [1, 96] at entry 0 and [1, 58] at entry 1\n"
            '  File "/env/monai/data/utils.py", line 590, in list_data_collate\n',
            "from monai.data import pad_list_data_collate",
            id="samples of MONAI",
        ),
        pytest.param(
            "hangs with num_workers=4 at the first batch, fine with num_workers=0\n"
            "    blosc_decompress (numcodecs/blosc.pyx:333)\n    __getitem__ (ds.py:41)\n",
            "import numcodecs.blosc\n\nnumcodecs.blosc.use_threads = False",
            id="threads of blosc",
        ),
        pytest.param(
            "$ podman run --gpus all img nvidia-smi\nError: crun: executable file `nvidia-smi` not"
            " found in $PATH: No such file or directory\n",
            "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml",
            id="GPUs of Podman",
        ),
        pytest.param(
            "$ docker run --gpus all img\ndocker: Error response from daemon: nvidia-container-cli:"
            " initialization error: load library failed: libnvidia-ml.so.1: cannot open shared\n",
            "sudo apt-get install -y ubuntu-drivers-common\nsudo ubuntu-drivers install",
            id="no driver on the host of a container",
        ),
        pytest.param(
            '  File "/content/w/train.py", line 3, in f\nRuntimeError: Found no NVIDIA driver on\n'
            "RuntimeError: Found no NVIDIA driver on your system.\n",
            "Give the notebook a GPU: Runtime",
            id="no GPU in Colab",
        ),
        pytest.param(
            "OSError: [Errno 30] Read-only file system: '/kaggle/input/birds/labels.cache'\n",
            "cp -r /kaggle/input/birds /kaggle/working/",
            id="inputs of Kaggle",
        ),
        pytest.param(
            "OSError: [Errno 28] No space left on device: '/kaggle/working/c/1.npy'\n",
            "mkdir -p /tmp/cache",
            id="the disk of Kaggle",
        ),
        pytest.param(
            "$ apptainer exec --nv torch.sif python t.py\n"
            "OSError: [Errno 30] Read-only file system: '/opt/models/cache'\n",
            "apptainer exec --writable-tmpfs --nv torch.sif python t.py",
            id="an image of Apptainer that is written to",
        ),
        pytest.param(
            "FATAL: While performing build: while creating squashfs: No space left on device\n",
            'mkdir -p "${SCRATCH:-$HOME}/apptainer"\nexport APPTAINER_TMPDIR=',
            id="room for layers of Apptainer",
        ),
        pytest.param(
            'Status: Failed\nMessage:  Usage of EmptyDir volume "shm" exceeds the limit "1Gi".\n',
            "volumes:\n- name: shm\n  emptyDir:\n    sizeLimit: 2Gi",
            id="a volume in memory",
        ),
        pytest.param(
            "ImportError: /env/detectron2/_C.cpython-310.so: undefined symbol: _ZN2at4_ops5\n",
            "python -m pip install --force-reinstall --no-deps --no-build-isolation --no-cache-dir"
            " git+https://github.com/facebookresearch/detectron2.git",
            id="an extension that has no wheels",
        ),
        pytest.param(
            "ImportError: TorchCodec is required for load.\nPyTorch version: 2.9.1\n",
            "python -m pip install 'torchcodec==0.9.*'",
            id="torchcodec of this torch",
        ),
        pytest.param(
            "AssertionError: MMCV==2.2.0 is used but incompatible. Please install mmcv>=2.0.0rc4,"
            " <2.2.0.\n",
            "python -m mim install 'mmcv>=2.0.0rc4,<2.2.0'",
            id="the range of an mmcv",
        ),
        pytest.param(
            "ImportError: this needs Accelerate: `pip install 'accelerate>=0.26.0'`\n",
            "python -m pip install 'accelerate>=0.26.0'",
            id="what the message says to install",
        ),
        pytest.param(
            "RuntimeError: The detected CUDA version (12.8) mismatches the version that was used to"
            " compile PyTorch (11.8).\n",
            "conda install -y -c nvidia/label/cuda-11.8.0 cuda-toolkit\n"
            "export CUDA_HOME=$CONDA_PREFIX",
            id="the toolkit of torch's CUDA",
        ),
        pytest.param(
            "RuntimeError: use_libuv was requested but PyTorch was build without libuv support\n",
            'set "USE_LIBUV=0"',
            id="torchrun on Windows",
        ),
        pytest.param(
            "#error -- unsupported GNU version! gcc versions later than 11 are not supported!\n",
            "sudo apt-get install -y gcc-11 g++-11\nexport CC=/usr/bin/gcc-11",
            id="the compiler of a toolkit",
        ),
        pytest.param(
            "Too many dataloader workers: 16 (max is dataset.num_shards=4). Stopping 12\n",
            "DataLoader(..., num_workers=4)",
            id="as many workers as shards",
        ),
        pytest.param(
            "$ docker run -it rocm/pytorch python t.py\nRuntimeError: No HIP GPUs are available\n",
            "docker run --device=/dev/kfd --device=/dev/dri --group-add=video",
            id="the devices of an AMD GPU",
        ),
        pytest.param(
            "# R36 (release), REVISION: 4.3, BOARD: generic, EABI: aarch64\n2.5.1+cpu False\n",
            "python -m pip install --force-reinstall torch torchvision"
            " --index-url https://pypi.jetson-ai-lab.io/jp6/cu126",
            id="the torch of a Jetson",
        ),
    ],
)
def test_first_remedy(log: str, wanted: str) -> None:
    assert first_text(log).startswith(wanted)


@pytest.mark.parametrize(
    ("path", "told", "wanted"),
    [
        ("/srv/a/train/x/1.png", (), "/srv/a"),
        ("/srv/a/train/x/1.png", ("/srv", "/srv/a/"), "/srv/a"),
        ("/data/train/x/1.png", (), "/data/train/x"),
        ("photos/val/1.png", (), "photos"),
        ("/srv/a/b/", (), "/srv/a/b"),
        (r"D:\\a\\images\\1.png", (), "D:/a"),
        ("1.png", (), ""),
    ],
)
def test_folder_of_a_dataset(path: str, told: tuple[str, ...], wanted: str) -> None:
    assert find_dataset_folder(path, told) == wanted
