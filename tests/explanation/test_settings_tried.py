"""What an issue says that its author tried in vain does not outrank the log in it."""

from collections.abc import Callable

import pytest

FORM = """### Describe the bug

My training stops and I do not understand why.

```shell
Traceback (most recent call last):
  File "/w/t.py", line 3, in <module>
    f.write(b)
OSError: [Errno 28] No space left on device: '/data/a.bin'
```

{}
"""


@pytest.mark.parametrize(
    "setting",
    [
        "num_workers=0",
        "NCCL_SOCKET_IFNAME=eth0",
        "KMP_DUPLICATE_LIB_OK=TRUE",
        "HDF5_USE_FILE_LOCKING=FALSE",
        "cv2.setNumThreads(0)",
    ],
)
@pytest.mark.parametrize(
    "sentence",
    [
        "I also tried `{}` but it did not help.",
        "The same happens with {}.",
        "{} does not help either.",
    ],
)
def test_the_log_comes_first(setting: str, sentence: str, first: Callable[[str], str]) -> None:
    assert first(FORM.format(sentence.format(setting))) == "disk_full"


def test_a_hang_without_workers_counts_where_nothing_was_raised(
    first: Callable[[str], str],
) -> None:
    text = "Training hangs in the first batch. I also tried num_workers=0, the same."

    assert first(text) == "worker_stuck_in_transform"


def test_a_setting_that_a_program_reports_counts(first: Callable[[str], str]) -> None:
    line = "Forking with OpenCV hangs; cv2.setNumThreads(0) cures it."

    assert first(line) == "native_threads_fork_deadlock"
