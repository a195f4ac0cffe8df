"""A name that one line of a log tells is hidden in the lines that are quoted."""

import io

import pytest

from pipedoctor.explanation.explain import explain
from pipedoctor.explanation.text import render
from pipedoctor.facts import Facts, Site
from pipedoctor.privacy.redactor import RedactionLevel, Redactor

HERE = Facts(Site(system="linux"))
FULL = "OSError: [Errno 28] No space left on device: '/data/{}/x'\n"


def render_log(log: str) -> str:
    redactor = Redactor(RedactionLevel.ALL)
    said = explain(io.BytesIO(log.encode()), redactor=redactor, facts=lambda _: HERE)
    return render(said, width=100, color=False)


@pytest.mark.parametrize(
    "line",
    [
        "USER=ottokar",
        "[ottokar@gpu-17x ~]$ python a.py",
        "uid=1000(ottokar) gid=100(users)",
        '  File "/home/ottokar/a.py", line 3, in f',
    ],
)
@pytest.mark.parametrize("between", [0, 5000], ids=["near", "far"])
def test_a_user_told_elsewhere_is_hidden(line: str, between: int) -> None:
    steps = "".join(f"step {n} loss {n / 7:.3f}\n" for n in range(between))
    shown = render_log(f"{line}\n{steps}{FULL.format('ottokar')}")
    assert "disk-full" in shown
    assert "/data/<user-1>/x" in shown
    assert "ottokar" not in shown


def test_a_user_told_behind_the_error_is_hidden_too() -> None:
    assert "ottokar" not in render_log(f"{FULL.format('ottokar')}USER=ottokar\n")


def test_a_host_told_elsewhere_is_hidden() -> None:
    shown = render_log(f"[anna@gpu-17x ~]$ ls\nCUDA error: out of memory on gpu-17x\n{FULL}")
    assert "gpu-17x" not in shown


def test_a_folder_of_data_stays_so_that_the_remedy_can_be_typed() -> None:
    log = FULL.replace("/data/", "/scratch/").format("coco-crops")
    assert "$ du -xah /scratch/coco-crops/ |" in render_log(f"USER=ottokar\n{log}")


def test_a_home_in_a_line_of_several_commands_is_typed_as_its_owner_does() -> None:
    assert "$ du -xah ~/set/ |" in render_log(
        "OSError: [Errno 28] No space left on device: '/home/ottokar/set/x'\n"
    )


def test_a_host_is_hidden_in_the_remedy_as_well() -> None:
    shown = render_log("nfs: server files-9.corp not responding, still trying\n")
    assert "$ rpcinfo -t '<host-1>' nfs" in shown
    assert "files-9" not in shown


@pytest.mark.parametrize("between", ["", " while saving"])
def test_no_part_of_a_secret_is_left_of_a_long_line(between: str) -> None:
    signature = "6ee2a9c45c43d0d6763b" * 20
    line = f"GET https://h.example/a?X-Goog-Signature={signature}{between}"
    shown = render_log(f"{line} {FULL}")
    assert "disk-full" in shown
    assert signature[-12:] not in shown


@pytest.mark.parametrize("address", ["gpu-node-17", "10.20.1.17", "$MASTER_ADDR"])
def test_a_command_stays_where_the_first_node_is_hidden(address: str) -> None:
    """The remedy is typed into the user's own command, on each node as before."""
    command = f"torchrun --nproc_per_node=8 --master_addr={address} train.py"
    shown = render_log(
        f"$ {command} --train_batch_size=8\n"
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
    )

    assert (
        "torchrun --nproc_per_node=8 --master_addr=$MASTER_ADDR train.py --train_batch_size=4"
        in shown
    )
    assert "17" not in shown
