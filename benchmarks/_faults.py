"""Faults that a shell of its own mounts and limits can have: how each is made."""

from typing import NamedTuple


class Fault(NamedTuple):
    """A fault: what makes it, and the job that is asked about."""

    check: str
    made: str
    job: str = ""
    quick: bool = True


_KERNEL = "mkdir k; cp /proc/sys/{0}/* k/ 2>/dev/null; {1}; mount --bind k /proc/sys/{0}"
_JOB = "--workers 8 --batch-bytes 19M"


def _small(folder: str, options: str = "size=1m") -> str:
    return f"mkdir -p {folder}; mount -t tmpfs -o {options} tmpfs {folder}"


def _full(folder: str) -> str:
    return f"{_small(folder)}; head -c 2m /dev/zero >{folder}/x 2>/dev/null"


FAULTS = {
    "/dev/shm of 64 MiB": Fault("shm-too-small", "mount -t tmpfs -o size=64m tmpfs /dev/shm", _JOB),
    "/dev/shm of 64 MiB, ranks": Fault(
        "shm-too-small", "mount -t tmpfs -o size=64m tmpfs /dev/shm", f"{_JOB} --ranks 2"
    ),
    "segments of a dead job": Fault(
        "leaked-shm-segments",
        "mount -t tmpfs -o size=64m tmpfs /dev/shm;"
        " head -c 60m /dev/zero >/dev/shm/torch_4194303_1_0",
        quick=False,
    ),
    "256 open files": Fault("fd-limit-exhausted", "ulimit -Sn 256", "--workers 16"),
    "256 open files, hard limit, too": Fault("fd-limit-exhausted", "ulimit -n 256", "--workers 16"),
    "few memory maps": Fault(
        "map-count-low", _KERNEL.format("vm", "echo 1000 >k/max_map_count"), "--workers 8"
    ),
    "64 threads a process": Fault(
        "thread-oversubscription", "export OMP_NUM_THREADS=64", "--workers 4"
    ),
    "64 threads of MKL": Fault(
        "thread-oversubscription", "export MKL_NUM_THREADS=64", "--workers 4"
    ),
    "one CPU of several": Fault(
        "cpu-affinity-restricted", "taskset -cp 0 $$ >/dev/null", "--workers 4"
    ),
    "64 workers": Fault("too-many-workers-for-cpus", ":", "--workers 64"),
    "full TMPDIR": Fault("disk-full", f"{_full('c')}; export TMPDIR=$PWD/c"),
    "full HF_HOME": Fault("disk-full", f"{_full('c')}; export HF_HOME=$PWD/c"),
    "full cache": Fault("disk-full", f"{_full('c')}; export XDG_CACHE_HOME=$PWD/c"),
    "no inodes in TMPDIR": Fault(
        "disk-full",
        f"{_small('c', 'nr_inodes=5,size=900m')}; touch c/1 c/2 c/3 c/4 c/5 2>/dev/null;"
        " export TMPDIR=$PWD/c",
    ),
    "read-only TORCH_HOME": Fault(
        "cache-dir-not-writable", f"{_small('r', 'ro')}; export TORCH_HOME=$PWD/r/t"
    ),
    "read-only HOME": Fault(
        "cache-dir-not-writable",
        f"{_small('r', 'ro')}; export HOME=$PWD/r; unset XDG_CACHE_HOME",
    ),
    "TMPDIR of 120 bytes": Fault(
        "tmpdir-path-too-long", f"mkdir {'a' * 95}; export TMPDIR=$PWD/{'a' * 95}"
    ),
    "strict overcommit": Fault(
        "overcommit-refuses",
        _KERNEL.format("vm", "echo 2 >k/overcommit_memory")
        + "; sed 's/^CommitLimit:.*/CommitLimit: 1000000 kB/;s/^Committed_AS:.*/Committed_AS:"
        " 990000 kB/' /proc/meminfo >m; mount --bind m /proc/meminfo",
        "--workers 4",
    ),
    "huge pages": Fault(
        "transparent-hugepages",
        "mkdir k; echo '[always] madvise never' >k/enabled;"
        " echo '[always] defer defer+madvise madvise never' >k/defrag;"
        " mount --bind k /sys/kernel/mm/transparent_hugepage;"
        " sed 's/^compact_stall .*/compact_stall 20000/' /proc/vmstat >v;"
        " mount --bind v /proc/vmstat",
    ),
    "a foreign PYTHONPATH": Fault(
        "pythonpath-leak",
        "o=o/lib/python3.9/site-packages; mkdir -p $o/numpy $o/numpy-1.0.0.dist-info;"
        " touch $o/numpy/__init__.py;"
        " printf 'Name: numpy\\nVersion: 1.0.0\\n' >$o/numpy-1.0.0.dist-info/METADATA;"
        " export PYTHONPATH=$PWD/$o",
    ),
    "a library that is preloaded and missing": Fault(
        "preloaded-library-missing", "export LD_PRELOAD=/opt/none/libjemalloc.so.2", quick=False
    ),
    "one of two preloaded libraries is missing": Fault(
        "preloaded-library-missing",
        "export LD_PRELOAD=/opt/none/libjemalloc.so.2:/usr/lib/x86_64-linux-gnu/libm.so.6",
        quick=False,
    ),
    "a group of 600 MiB": Fault(
        "memory-limit-too-low",
        "g=$(ls -d /sys/fs/cgroup/memory 2>/dev/null || echo /sys/fs/cgroup)/pipedoctor-faults;"
        " mkdir $g; echo 600M >$g/memory.limit_in_bytes 2>/dev/null || echo 600M >$g/memory.max;"
        " echo $$ >$g/cgroup.procs",
        f"{_JOB} --ranks 2",
    ),
    "a group of 64 processes": Fault(
        "process-limit-reached",
        "g=$(ls -d /sys/fs/cgroup/pids 2>/dev/null || echo /sys/fs/cgroup)/pipedoctor-faults;"
        " mkdir $g; echo 64 >$g/pids.max; echo $$ >$g/cgroup.procs",
        "--workers 64",
    ),
    "a quota of 1.5 CPUs": Fault(
        "cgroup-cpu-quota-ignored",
        "g=$(ls -d /sys/fs/cgroup/cpu 2>/dev/null || echo /sys/fs/cgroup)/pipedoctor-faults;"
        " mkdir $g; echo 150000 >$g/cpu.cfs_quota_us 2>/dev/null"
        " || echo 150000 100000 >$g/cpu.max; echo $$ >$g/cgroup.procs",
        "--workers 8",
    ),
    "/dev/shm of 1 MiB, ranks, deep prefetch": Fault(
        "shm-too-small",
        "mount -t tmpfs -o size=1m tmpfs /dev/shm",
        "--workers 4 --batch-bytes 64M --prefetch 4 --ranks 4",
    ),
    "read-only /dev/shm": Fault(
        "shm-too-small",
        "mount -t tmpfs -o ro,size=64m tmpfs /dev/shm",
        "--workers 4 --batch-bytes 64M",
    ),
    "/dev/shm with a file of another program": Fault(
        "shm-too-small",
        "mount -t tmpfs -o size=600m tmpfs /dev/shm; head -c 550m /dev/zero >/dev/shm/mine",
        "--workers 4 --batch-bytes 19M",
    ),
    "64 open files, 4096 at most, ranks": Fault(
        "fd-limit-exhausted", "ulimit -Sn 64; ulimit -Hn 4096", "--workers 8 --ranks 4"
    ),
    "64 threads of OpenBLAS": Fault(
        "thread-oversubscription", "export OPENBLAS_NUM_THREADS=64", "--workers 8"
    ),
    "8 threads in each of 4 ranks": Fault(
        "thread-oversubscription", "export OMP_NUM_THREADS=8", "--workers 2 --ranks 4"
    ),
    "three variables of threads": Fault(
        "thread-oversubscription",
        "export OMP_NUM_THREADS=64 MKL_NUM_THREADS=32 OPENBLAS_NUM_THREADS=16",
        "--workers 2",
    ),
    "TMPDIR with a space, 110 bytes": Fault(
        "tmpdir-path-too-long",
        f"mkdir -p 'a b/{'c' * 90}'; export TMPDIR=\"$PWD/a b/{'c' * 90}\"",
    ),
    "read-only caches of compilers": Fault(
        "cache-dir-not-writable",
        f"{_small('r', 'ro')}; export TRITON_CACHE_DIR=$PWD/r/t TORCHINDUCTOR_CACHE_DIR=$PWD/r/i",
    ),
    "one of two folders of PYTHONPATH": Fault(
        "pythonpath-leak",
        "o=o/lib/python3.9/site-packages; mkdir -p mine $o/numpy $o/numpy-1.0.0.dist-info;"
        " touch mine/mine.py $o/numpy/__init__.py;"
        " printf 'Name: numpy\\nVersion: 1.0.0\\n' >$o/numpy-1.0.0.dist-info/METADATA;"
        " export PYTHONPATH=$PWD/mine:$PWD/$o",
    ),
    "two preloaded libraries are missing": Fault(
        "preloaded-library-missing",
        "export LD_PRELOAD='libnone.so.4 /opt/none/x.so'",
        quick=False,
    ),
    "read-only HF_HOME and TORCH_HOME": Fault(
        "cache-dir-not-writable",
        f"{_small('c', 'ro')}; export HF_HOME=$PWD/c/hf TORCH_HOME=$PWD/c/torch",
    ),
    "full folder with a space for HF_HOME": Fault(
        "disk-full",
        "mkdir 'a b'; mount -t tmpfs -o size=1m tmpfs 'a b'; head -c 2m /dev/zero"
        " >'a b/x' 2>/dev/null; export HF_HOME=\"$PWD/a b\"",
    ),
    "full TMPDIR, and HF_HOME beside it": Fault(
        "disk-full", f"{_full('c')}; export TMPDIR=$PWD/c HF_HOME=$PWD/c"
    ),
    "one CPU, workers and ranks": Fault(
        "cpu-affinity-restricted", "taskset -cp 1 $$ >/dev/null", "--workers 4 --ranks 2"
    ),
    "a third of a CPU": Fault(
        "cgroup-cpu-quota-ignored",
        "g=$(ls -d /sys/fs/cgroup/cpu 2>/dev/null || echo /sys/fs/cgroup)/pipedoctor-faults;"
        " mkdir $g; echo 33000 >$g/cpu.cfs_quota_us 2>/dev/null"
        " || echo 33000 100000 >$g/cpu.max; echo $$ >$g/cgroup.procs",
        "--workers 4",
    ),
    "two libraries preloaded with a colon, both missing": Fault(
        "preloaded-library-missing", "export LD_PRELOAD=/lost/a.so:/lost/b.so", quick=False
    ),
}
