"""First remedies of logs whose disk is full, or was when a file was written."""

import pytest

from tests.explanation.test_remedies_of_logs import first_text

WRITE_FAILED = "RuntimeError: PytorchStreamWriter failed writing file data/7: file write failed\n"


@pytest.mark.parametrize(
    ("log", "wanted"),
    [
        pytest.param(
            f"INFO saving model to runs/a/net_018.pth\n{WRITE_FAILED}",
            "rm -I -- $(ls -t runs/a/net_[0-9]*.pth | tail -n +4)",
            id="older checkpoints",
        ),
        pytest.param(
            "Saving model checkpoint to out/b/checkpoint-1500\n"
            f'File "/x/transformers/trainer.py", line 9, in _save\n{WRITE_FAILED}',
            "rm -rI -- $(ls -td out/b/checkpoint-[0-9]* | tail -n +4)",
            id="older folders of checkpoints",
        ),
        pytest.param(
            'Downloading data: 100%|###| 9/9\n  File "/x/datasets/arrow_writer.py", line 6, in w\n'
            "OSError: [Errno 28] No space left on device\noverlay      20G   20G     0 100% /\n"
            "/dev/sdb1       3.6T  1.1T  2.5T  31% /mnt/fast\n",
            "export XDG_CACHE_HOME=/mnt/fast/cache HF_HOME=/mnt/fast/cache/huggingface",
            id="caches where there is room",
        ),
        pytest.param(
            "OSError: [Errno 28] No space left on device: '/w/run/log.bin'\n"
            "/dev/loop3   64M   64M     0 100% /snap/core20/1\n"
            "/dev/root     194G  194G   64K 100% /\n",
            "python -m pip cache purge\ndu -xh --max-depth=3 / | sort",
            id="the disk that is full, and not where it was noticed",
        ),
        pytest.param(
            "Extracting ./raw/a.tar.gz to ./raw\nExtracting ./raw/b.tar.gz to ./raw\n"
            "EOFError: Compressed file ended before the end-of-stream marker was reached\n",
            "mv -n ./raw/b.tar.gz ./raw/b.tar.gz.damaged",
            id="the archive that was opened last",
        ),
    ],
)
def test_first_remedy(log: str, wanted: str) -> None:
    assert first_text(log).startswith(wanted)
