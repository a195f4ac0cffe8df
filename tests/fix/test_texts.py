"""fstab, sysctl.d and sizes as text: the boundaries."""

import pytest

from pipedoctor.facts import Facts, Launcher, Memory, MemoryLimit, Shm, Site
from pipedoctor.fix.engine.plan_text import escape_text, make_encodable
from pipedoctor.fix.limits import persist, shm_size, size_argument
from pipedoctor.fix.plan.current_value import Gauge, parse_gauge
from pipedoctor.fix.plan.plan import FixPlan, FixRefusedError, NoChangeNeeded
from pipedoctor.units import GiB, MiB

LINE = b"tmpfs /dev/shm tmpfs defaults,nosuid,nodev,size=1048576 0 0\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(None, LINE, id="no file"),
        pytest.param(b"", LINE, id="empty"),
        pytest.param(b"a b c d\n", b"a b c d\n" + LINE, id="other lines"),
        pytest.param(b"a b c d", b"a b c d\n" + LINE, id="no end of line"),
        pytest.param(
            b"#tmpfs /dev/shm tmpfs size=1 0 0\n",
            b"#tmpfs /dev/shm tmpfs size=1 0 0\n" + LINE,
            id="commented out",
        ),
        pytest.param(
            b"x\n none\t/dev/shm/  tmpfs\tnoexec,size=50%,mode=1777 0\t0 # ours\r\ny",
            b"x\n none\t/dev/shm/  tmpfs\tnoexec,size=1048576,mode=1777 0\t0 # ours\r\ny",
            id="only the size, spaces and all",
        ),
        pytest.param(
            b"tmpfs /dev/shm tmpfs defaults 0 0\n",
            b"tmpfs /dev/shm tmpfs defaults,size=1048576 0 0\n",
            id="no size yet",
        ),
        pytest.param(
            b"tmpfs /dev/shm tmpfs ro",
            b"tmpfs /dev/shm tmpfs ro,size=1048576",
            id="four fields",
        ),
        pytest.param(
            b"tmpfs /dev/shm tmpfs nr_blocks=9,ro,size=4k 0 0\n",
            b"tmpfs /dev/shm tmpfs size=1048576,ro 0 0\n",
            id="sizes in two forms",
        ),
        pytest.param(
            b"\xff\xfe /mnt/\xe9 ext4 x\n",
            b"\xff\xfe /mnt/\xe9 ext4 x\n" + LINE,
            id="not UTF-8",
        ),
    ],
)
def test_fstab(before: bytes | None, after: bytes) -> None:
    assert persist.edit_fstab(before, MiB) == after
    assert persist.edit_fstab(after, MiB) == after
    assert persist.read_fstab_size(after) == b"1048576"


def test_fstab_with_two_lines_is_the_users_to_clear_up() -> None:
    with pytest.raises(FixRefusedError, match=r"several lines for /dev/shm \(1 and 3\)"):
        persist.edit_fstab(LINE + b"\n" + LINE, MiB)


def test_fstab_with_something_else_there_is_left_alone() -> None:
    with pytest.raises(FixRefusedError, match="line 2: /dev/shm is not a tmpfs there"):
        persist.edit_fstab(b"\n/big /dev/shm none bind 0 0\n", MiB)


@pytest.mark.parametrize("text", [None, b"a b c d\n", b"tmpfs /dev/shm tmpfs ro 0 0"])
def test_no_size_in_fstab(text: bytes | None) -> None:
    assert persist.read_fstab_size(text) is None


def test_sysctl_keeps_what_was_set_before() -> None:
    first = persist.edit_sysctl(None, "vm.max_map_count", "9")
    both = persist.edit_sysctl(first, "fs.inotify.max_user_watches", "8")

    assert first.splitlines()[1:] == [b"vm.max_map_count = 9"]
    assert both.splitlines()[1:] == [
        b"vm.max_map_count = 9",
        b"fs.inotify.max_user_watches = 8",
    ]
    assert persist.edit_sysctl(both, "vm.max_map_count", "7").splitlines()[1:] == [
        b"fs.inotify.max_user_watches = 8",
        b"vm.max_map_count = 7",
    ]


@pytest.mark.parametrize(
    "argv",
    [
        (),
        ("mount", "-o", "remount,size=5G", "/dev/shm"),
        ("mount", "-o", "remount,size=5", "/mnt"),
        ("sysctl", "-w", "no.such.setting=1"),
        ("sysctl", "-w", "../../etc/passwd=1"),
        ("sysctl", "-w", "vm.max_map_count"),
        ("sysctl", "-w", "vm.max_map_count=1", "vm.swappiness=1"),
        ("sysctl", "--write", "vm.max_map_count=1"),
        ("prlimit", "--pid", "4194304", "--nofile=1:1"),
        ("prlimit", "--pid", "1", "--rss=1:1"),
        ("prlimit", "--pid", "1", "--nproc=1"),
        ("mount", "-o", "remount,nosuid", "/dev/shm"),
        ("taskset", "-apc", "a", "1"),
    ],
)
def test_commands_that_cannot_be_read_back(argv: tuple[str, ...]) -> None:
    assert parse_gauge(argv) is None


def test_commands_that_can() -> None:
    remount = ("mount", "-o", "remount,size=5", "/dev/shm")
    setting = ("sysctl", "-w", "net.ipv4.ip_local_port_range=1  2")

    assert parse_gauge(remount) == (Gauge(kind="shm"), "5")
    gauge = Gauge(kind="sysctl", key="net.ipv4.ip_local_port_range")
    assert parse_gauge(setting) == (gauge, "1 2")
    now = gauge.read()
    assert now is not None
    assert gauge.format_value(now).count(" ") == 1
    assert gauge.subject == "net.ipv4.ip_local_port_range"


def test_an_unlimited_tmpfs_is_said_so() -> None:
    assert Gauge(kind="shm").format_value("0") == "unlimited"


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("5G", 5 * GiB),
        ("5GiB", 5 * GiB),
        ("512m", 512 * MiB),
        ("1", 4096),
        ("4097", 8192),
        ("50%", 4 * GiB),
        (" 12.5 % ", GiB),
    ],
)
def test_sizes_as_users_write_them(text: str, size: int) -> None:
    facts = Facts(Memory(total=8 * GiB, available=GiB))

    assert size_argument.parse_size_argument(text).resolve_bytes(facts) == size


def test_a_share_of_what_nobody_knows() -> None:
    with pytest.raises(FixRefusedError, match="known memory size"):
        size_argument.parse_size_argument("50%").resolve_bytes(
            Facts(unknown={"memory": "no /proc"})
        )


def machine(*, used: int = 0, total: int = 8 * GiB, limit: int | None = None) -> Facts:
    group = MemoryLimit(limit=limit) if limit else None
    return Facts(Shm(size=GiB, used=used), Memory(total=total, available=total, group=group))


@pytest.mark.parametrize(
    ("facts", "size"),
    [
        pytest.param(machine(), MiB, id="the least"),
        pytest.param(machine(), 8 * GiB, id="all memory"),
        pytest.param(machine(limit=4 * GiB), 4 * GiB, id="all of the group's"),
        pytest.param(machine(used=MiB), MiB, id="exactly what is in use"),
    ],
)
def test_sizes_that_will_do(facts: Facts, size: int) -> None:
    size_argument.refuse_size(facts, size, force=False)


@pytest.mark.parametrize(
    ("facts", "size", "why", "force"),
    [
        pytest.param(machine(), 0, "at least 1M, at most 8G", True, id="zero"),
        pytest.param(machine(), MiB - 1, "At least 1M would work", True, id="tiny"),
        pytest.param(
            machine(),
            8 * GiB + 1,
            "this machine's 8.0 GiB of memory: --shm 8G would work",
            False,
            id="beyond memory",
        ),
        pytest.param(
            machine(limit=3 * GiB),
            3 * GiB + 1,
            "the 3.0 GiB limit of its cgroup: --shm 3G would work",
            False,
            id="beyond the group",
        ),
        pytest.param(machine(limit=3 * GiB), 9 * GiB, "--shm 3G would work", False, id="both"),
        pytest.param(machine(used=3 * MiB), 2 * MiB, "--shm 3M would work", True, id="in use"),
        pytest.param(Facts(Shm(size=1)), GiB, "amount of memory is unknown", False, id="unknown"),
    ],
)
def test_sizes_that_will_not(facts: Facts, size: int, why: str, force: bool) -> None:
    with pytest.raises(FixRefusedError, match=why):
        size_argument.refuse_size(facts, size, force=force)


def test_force_goes_beyond_memory_alone() -> None:
    size_argument.refuse_size(machine(limit=GiB), 99 * GiB, force=True)
    size_argument.refuse_size(Facts(Shm(size=1)), GiB, force=True)


@pytest.mark.parametrize(
    ("size", "down", "up"),
    [
        (GiB, "1G", "1G"),
        (23 * GiB + 700 * MiB, "23G", "24G"),
        (GiB + 500 * MiB, "1524M", "1524M"),
        (3 * MiB + 1, "3M", "4M"),
        (100, "100", "1M"),
    ],
)
def test_sizes_as_one_types_them(size: int, down: str, up: str) -> None:
    assert size_argument.format_size_argument(size) == down
    assert size_argument.format_size_argument(size, round_up=True) == up


@pytest.mark.parametrize(
    ("shm", "why"),
    [
        (Shm(size=GiB, mounted=False), "not a separate mount"),
        (Shm(size=GiB, fstype="ext4"), "/dev/shm is ext4, not a tmpfs"),
    ],
)
def test_places_without_a_size_of_their_own(shm: Shm, why: str) -> None:
    with pytest.raises(FixRefusedError, match=why):
        shm_size.plan_size(machine().merge(shm), GiB, lasting=False, force=False)


def test_a_shm_that_nobody_could_examine() -> None:
    facts = Facts(unknown={"shm": "only known on Linux"})

    with pytest.raises(FixRefusedError, match="only known on Linux"):
        shm_size.plan_size(facts, GiB, lasting=False, force=False)


def test_nothing_lasts_in_a_container() -> None:
    facts = machine().merge(Site(system="linux", container="docker"))

    with pytest.raises(FixRefusedError, match="in a docker container") as refused:
        shm_size.plan_size(facts, 3 * GiB, lasting=True, force=False)

    assert refused.value.lines[0] == "docker run --shm-size=3g"


@pytest.mark.parametrize(
    ("launcher", "start"),
    [
        (Launcher.DOCKER, "docker run --shm-size=5g"),
        (Launcher.KUBERNETES, "kubectl patch deployment TRAIN"),
        (Launcher.SLURM, "ask the cluster administrators to run: mount -o"),
    ],
)
def test_how_a_place_is_launched(launcher: Launcher, start: str) -> None:
    assert next(shm_size.list_size_options(launcher, 5 * GiB - 1)).startswith(start)


def test_the_right_size_is_nothing_to_do() -> None:
    done = shm_size.plan_size(machine(), GiB, lasting=False, force=False)

    assert done == NoChangeNeeded("/dev/shm already has 1.0 GiB")


def test_an_unlimited_tmpfs_gets_a_limit() -> None:
    facts = machine().merge(Shm(size=0, used=5))

    plan = shm_size.plan_size(facts, GiB, lasting=False, force=False)

    assert isinstance(plan, FixPlan)
    assert plan.before == "unlimited"


def test_hostile_text_is_shown_not_obeyed() -> None:
    assert escape_text("a\x1b[31m\nb\u202e\udcff") == "a\\x1b[31m\\nb\\u202e\\xff"
    assert escape_text("a\u00a0\u00adb") == "a\\xa0\\xadb", "no space, and nothing to be seen"
    assert make_encodable("1 → 2 ü", "ascii") == "1 -> 2 \\xfc"
    assert make_encodable("1 → 2", "utf-8") == "1 → 2"
    assert make_encodable("1 → 2", None) == "1 -> 2"
