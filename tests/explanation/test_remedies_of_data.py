"""First remedies of logs whose fault lies in the data: its files, its shards, its workers."""

import pytest

from pipedoctor.explanation.dataset_folder import find_dataset_folder
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
