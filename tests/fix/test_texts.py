"""fstab, sysctl.d and sizes as text: the boundaries."""

import pytest

from pipedoctor.facts import Facts, Habitat, Memory, MemoryLimit, Shm, Site
from pipedoctor.fix import persist, resize, sizes
from pipedoctor.fix.gauge import Gauge, gauge_of
from pipedoctor.fix.plan import Plan, Refused, Settled
from pipedoctor.fix.show import encodable, safe
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
            b"x\n none\t/dev/shm/  tmpfs\tnoexec,size=1048576,mode=1777 0\t0 "
            b"# ours\r\ny",
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
    assert persist.fstab_with(before, MiB) == after
    assert persist.fstab_with(after, MiB) == after
    assert persist.size_in_fstab(after) == b"1048576"


def test_fstab_with_two_lines_is_the_users_to_clear_up() -> None:
    with pytest.raises(Refused, match=r"several lines for /dev/shm \(1 and 3\)"):
        persist.fstab_with(LINE + b"\n" + LINE, MiB)


def test_fstab_with_something_else_there_is_left_alone() -> None:
    with pytest.raises(Refused, match="line 2: /dev/shm is no tmpfs there"):
        persist.fstab_with(b"\n/big /dev/shm none bind 0 0\n", MiB)


@pytest.mark.parametrize("text", [None, b"a b c d\n", b"tmpfs /dev/shm tmpfs ro 0 0"])
def test_no_size_in_fstab(text: bytes | None) -> None:
    assert persist.size_in_fstab(text) is None


def test_sysctl_keeps_what_was_set_before() -> None:
    first = persist.sysctl_with(None, "vm.max_map_count", "9")
    both = persist.sysctl_with(first, "fs.inotify.max_user_watches", "8")

    assert first.splitlines()[1:] == [b"vm.max_map_count = 9"]
    assert both.splitlines()[1:] == [
        b"vm.max_map_count = 9",
        b"fs.inotify.max_user_watches = 8",
    ]
    assert persist.sysctl_with(both, "vm.max_map_count", "7").splitlines()[1:] == [
        b"fs.inotify.max_user_watches = 8",
        b"vm.max_map_count = 7",
    ]


@pytest.mark.parametrize(
    "argv",
    [
        (),
        ("mount", "-o", "remount,rw", "/dev/shm"),
        ("mount", "-o", "remount,size=5G", "/dev/shm"),
        ("mount", "-o", "remount,size=5", "/mnt"),
        ("sysctl", "-w", "no.such.setting=1"),
        ("sysctl", "-w", "../../etc/passwd=1"),
        ("sysctl", "-w", "vm.max_map_count"),
        ("sysctl", "-w", "vm.max_map_count=1", "vm.swappiness=1"),
        ("sysctl", "--write", "vm.max_map_count=1"),
        ("prlimit", "--pid", "4194304", "--nofile=1:1"),
        ("prlimit", "--pid", "1", "--nproc=1:1"),
    ],
)
def test_commands_that_cannot_be_read_back(argv: tuple[str, ...]) -> None:
    assert gauge_of(argv) is None


def test_commands_that_can() -> None:
    remount = ("mount", "-o", "remount,size=5", "/dev/shm")
    setting = ("sysctl", "-w", "net.ipv4.ip_local_port_range=1  2")

    assert gauge_of(remount) == (Gauge(kind="shm"), "5")
    gauge = Gauge(kind="sysctl", key="net.ipv4.ip_local_port_range")
    assert gauge_of(setting) == (gauge, "1 2")
    now = gauge.read()
    assert now is not None
    assert gauge.words(now).count(" ") == 1
    assert gauge.subject == "net.ipv4.ip_local_port_range"


def test_an_unlimited_tmpfs_is_said_so() -> None:
    assert Gauge(kind="shm").words("0") == "unlimited"


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

    assert sizes.asked(text).bytes(facts) == size


def test_a_share_of_what_nobody_knows() -> None:
    with pytest.raises(Refused, match="unknown memory"):
        sizes.asked("50%").bytes(Facts(unknown={"memory": "no /proc"}))


def machine(*, used: int = 0, total: int = 8 * GiB, limit: int | None = None) -> Facts:
    group = MemoryLimit(limit=limit) if limit else None
    return Facts(
        Shm(size=GiB, used=used), Memory(total=total, available=total, group=group)
    )


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
    sizes.refuse_size(facts, size, force=False)


@pytest.mark.parametrize(
    ("facts", "size", "why", "force"),
    [
        pytest.param(machine(), 0, "at least 1M, at most 8G", True, id="zero"),
        pytest.param(machine(), MiB - 1, "At least 1M would do", True, id="tiny"),
        pytest.param(
            machine(),
            8 * GiB + 1,
            "this machine's 8.0 GiB of memory: --shm 8G would do",
            False,
            id="beyond memory",
        ),
        pytest.param(
            machine(limit=3 * GiB),
            3 * GiB + 1,
            "the 3.0 GiB that its control group may use: --shm 3G would do",
            False,
            id="beyond the group",
        ),
        pytest.param(
            machine(limit=3 * GiB), 9 * GiB, "--shm 3G would do", False, id="both"
        ),
        pytest.param(
            machine(used=3 * MiB), 2 * MiB, "--shm 3M would do", True, id="in use"
        ),
        pytest.param(Facts(Shm(size=1)), GiB, "is not known", False, id="unknown"),
    ],
)
def test_sizes_that_will_not(facts: Facts, size: int, why: str, force: bool) -> None:
    with pytest.raises(Refused, match=why):
        sizes.refuse_size(facts, size, force=force)


def test_force_goes_beyond_memory_alone() -> None:
    sizes.refuse_size(machine(limit=GiB), 99 * GiB, force=True)
    sizes.refuse_size(Facts(Shm(size=1)), GiB, force=True)


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
    assert sizes.as_typed(size) == down
    assert sizes.as_typed(size, up=True) == up


@pytest.mark.parametrize(
    ("shm", "why"),
    [
        (Shm(size=GiB, mounted=False), "not a mount of its own"),
        (Shm(size=GiB, fstype="ext4"), "/dev/shm is ext4, not a tmpfs"),
    ],
)
def test_places_without_a_size_of_their_own(shm: Shm, why: str) -> None:
    with pytest.raises(Refused, match=why):
        resize.plan(machine().plus(shm), GiB, lasting=False, force=False)


def test_a_shm_that_nobody_could_examine() -> None:
    facts = Facts(unknown={"shm": "only known on Linux"})

    with pytest.raises(Refused, match="only known on Linux"):
        resize.plan(facts, GiB, lasting=False, force=False)


def test_nothing_lasts_in_a_container() -> None:
    facts = machine().plus(Site(system="linux", container="docker"))

    with pytest.raises(Refused, match="inside a docker container") as refused:
        resize.plan(facts, 3 * GiB, lasting=True, force=False)

    assert refused.value.lines[0] == "docker run --shm-size=3g"


@pytest.mark.parametrize(
    ("habitat", "start"),
    [
        (Habitat.DOCKER, "docker run --shm-size=5g"),
        (Habitat.KUBERNETES, "kubectl patch deployment TRAIN"),
        (Habitat.SLURM, "ask the administrators of the nodes for: mount -o"),
    ],
)
def test_how_a_place_is_launched(habitat: Habitat, start: str) -> None:
    assert next(resize.launch(habitat, 5 * GiB - 1)).startswith(start)


def test_the_right_size_is_nothing_to_do() -> None:
    done = resize.plan(machine(), GiB, lasting=False, force=False)

    assert done == Settled("/dev/shm already has 1.0 GiB")


def test_an_unlimited_tmpfs_gets_a_limit() -> None:
    facts = machine().plus(Shm(size=0, used=5))

    plan = resize.plan(facts, GiB, lasting=False, force=False)

    assert isinstance(plan, Plan)
    assert plan.before == "unlimited"


def test_hostile_text_is_shown_not_obeyed() -> None:
    assert safe("a\x1b[31m\nb\u202e\udcff") == "a\\x1b[31m\\nb\\u202e\\xff"
    assert safe("a\u00a0\u00adb") == "a\\xa0\\xadb", "no space, and nothing to be seen"
    assert encodable("1 → 2 ü", "ascii") == "1 -> 2 \\xfc"
    assert encodable("1 → 2", "utf-8") == "1 → 2"
    assert encodable("1 → 2", None) == "1 -> 2"
