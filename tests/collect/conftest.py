"""Machines of files, which tests write."""

from pathlib import Path

import pytest

from tests.collect.storage.block_devices import Sysfs
from tests.collect.system.fake_site import Fake


@pytest.fixture
def sysfs(tmp_path: Path) -> Sysfs:
    return Sysfs(tmp_path)


@pytest.fixture
def bare(tmp_path: Path) -> Fake:
    """A machine without any container, as root of it."""
    status = "Name:\tx\nUid:\t0\t0\t0\t0\nNoNewPrivs:\t0\nCapEff:\t000001ffffffffff\n"
    fake = Fake(tmp_path).namespaces().mount("/", "ext4")
    fake.write("proc/self/status", status)
    fake.write("proc/self/uid_map", "         0          0 4294967295\n")
    fake.write("proc/self/cgroup", "0::/user.slice/user-0.slice/session-1.scope\n")
    fake.write("proc/sys/kernel/osrelease", "6.1.0-30-amd64\n")
    fake.write("etc/os-release", 'NAME=Debian\nPRETTY_NAME="Debian GNU/Linux 12"\n')
    return fake.write("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu sse4_2\n")
