"""Places to suffer in."""

import contextlib
import os
import time
from collections.abc import Generator
from pathlib import Path

import pytest


@pytest.fixture
def half_a_cpu() -> Generator[Path, None, None]:
    """A control group that may use half a CPU; empty again when the test ends."""
    group = Path(f"/sys/fs/cgroup/cpu/pipedoctor-test-{os.getpid()}")
    try:
        group.mkdir()
        (group / "cpu.cfs_period_us").write_text("100000")
        (group / "cpu.cfs_quota_us").write_text("50000")
    except OSError as error:
        pytest.skip(f"no control group to be had: {error}")
    yield group
    for _ in range(50):
        with contextlib.suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.1)
