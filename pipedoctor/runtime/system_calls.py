"""System calls by number: those that a data pipeline waits in, and where they point."""

import platform
from typing import NamedTuple

DESCRIPTOR, PATH, AT_PATH, NOTHING = range(4)
"""What the first arguments are: a descriptor, a path, a folder and a path, neither."""

_TABLE = """
read 0 63 0|write 1 64 0|pread64 17 67 0|pwrite64 18 68 0|readv 19 65 0|writev 20 66 0
preadv 295 69 0|preadv2 327 286 0|open 2 - 1|openat 257 56 2|close 3 57 0
stat 4 - 1|fstat 5 80 0|lstat 6 - 1|newfstatat 262 79 2|statx 332 291 2
access 21 - 1|faccessat 269 48 2|readlink 89 - 1|readlinkat 267 78 2
getdents64 217 61 0|lseek 8 62 0|fsync 74 82 0|fdatasync 75 83 0|flock 73 32 0
fcntl 72 25 0|ftruncate 77 46 0|fallocate 285 47 0|sendfile 40 71 0
copy_file_range 326 285 0|rename 82 - 1|unlink 87 - 1|unlinkat 263 35 2
recvfrom 45 207 0|recvmsg 47 212 0|sendto 44 206 0|sendmsg 46 211 0|connect 42 203 0
accept 43 202 0|accept4 288 242 0|poll 7 - 3|ppoll 271 73 3|select 23 - 3
pselect6 270 72 3|epoll_wait 232 - 0|epoll_pwait 281 22 0|futex 202 98 3
nanosleep 35 101 3|clock_nanosleep 230 115 3|wait4 61 260 3|waitid 247 95 3
semop 65 193 3|semtimedop 220 192 3|mmap 9 222 3|munmap 11 215 3|madvise 28 233 3
mprotect 10 226 3|brk 12 214 3|msync 26 227 3|ioctl 16 29 0|io_getevents 208 4 3
openat2 437 437 2|faccessat2 439 439 2|statfs 137 43 1|fstatfs 138 44 0|chdir 80 49 1
fchdir 81 50 0|mkdir 83 - 1|mkdirat 258 34 2|rmdir 84 - 1|renameat 264 38 2
renameat2 316 276 2|link 86 - 1|linkat 265 37 2|symlink 88 - 1|symlinkat 266 36 2
chmod 90 - 1|fchmod 91 52 0|fchmodat 268 53 2|chown 92 - 1|fchown 93 55 0|lchown 94 - 1
fchownat 260 54 2|utimensat 280 88 2|getxattr 191 8 1|lgetxattr 192 9 1|listxattr 194 11 1
truncate 76 45 1|name_to_handle_at 303 264 2|inotify_add_watch 254 27 2|umount2 166 39 1
io_uring_enter 426 426 0|pause 34 - 3|sched_yield 24 124 3|clone 56 220 3
vfork 58 - 3|fadvise64 221 223 0|readahead 187 213 0|execve 59 221 1|exit_group 231 94 3
"""
READ_CALLS = frozenset(
    ("read", "pread64", "readv", "preadv", "preadv2", "recvfrom", "recvmsg", "sendfile")
)
SLEEP_CALLS = frozenset(("nanosleep", "clock_nanosleep", "select", "pselect6"))
LOCK_CALLS = frozenset(("futex", "flock", "fcntl", "semop", "semtimedop"))


class SystemCall(NamedTuple):
    """A system call: its name, and what its first arguments are."""

    name: str
    subject: int


PAGE_FAULT = SystemCall("page fault", NOTHING)
"""No call: a page of a mapped file is read as it is touched."""


def _parse_table(column: int) -> dict[int, SystemCall]:
    rows = (row.split() for line in _TABLE.splitlines() for row in line.split("|"))
    return {
        int(row[column]): SystemCall(row[0], int(row[3]))
        for row in rows
        if row and row[column] != "-"
    }


_MACHINES = {"x86_64": 1, "aarch64": 2}
SYSTEM_CALLS = (
    _parse_table(_MACHINES[platform.machine()]) if platform.machine() in _MACHINES else {}
)


def find_system_call(number: int) -> SystemCall:
    """The call of this number, on this machine; its number where it has no name."""
    return SYSTEM_CALLS.get(number) or SystemCall(f"system call {number}", NOTHING)
