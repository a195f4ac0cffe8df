"""The first remedy is the one that those who had the same error took."""

import pytest

from tests.explanation.test_remedies_of_logs import first_text, list_remedies

WATCHDOG = (
    "[rank{0}]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2,"
    " OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600900 milliseconds before timing out.\n"
)
BACKEND = "RuntimeError: Couldn't find appropriate backend to handle uri"
FORKED = "RuntimeError: Cannot re-initialize CUDA in forked subprocess.\n"


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
    ],
)
def test_first_remedy(log: str, wanted: str) -> None:
    assert first_text(log).startswith(wanted)


def test_mapping_of_windows_is_the_paging_file() -> None:
    log = "RuntimeError: Couldn't open shared file mapping: <torch_1_2>, error code: <1455>\n"

    assert list_remedies(log)[0].title.startswith("Increase the paging file")
