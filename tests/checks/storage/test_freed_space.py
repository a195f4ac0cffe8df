"""What is removed where room is short: enough, in order, and the user's own last."""

from pipedoctor.facts import Clearable, PathFact
from pipedoctor.units import GiB
from pipedoctor_checks._shared.advice import advise_user
from pipedoctor_checks.storage._freed_space import Shortage, free_space

LOOK = advise_user("Look", argv=("du", "--", "/"))


def cache(kind: str, size: int, *, files: int = 5, complete: bool = True) -> Clearable:
    return Clearable(kind=kind, path=f"/c/{kind}", bytes=size, files=files, complete=complete)


def advise(missing: Shortage, *held: Clearable) -> list[tuple[str, str]]:
    place = PathFact(role="home", path="/home/me", clearable=held)
    return [(one.title, one.shell) for one in free_space([place, place], missing, LOOK)]


def test_as_little_as_is_enough() -> None:
    advised = advise(
        Shortage(bytes=GiB),
        cache("hugging-face", 90 * GiB),
        cache("pip", 2 * GiB),
        cache("triton", GiB // 2),
    )

    assert advised == [
        ("Empty pip's cache (frees 2.0 GiB)", "rm -rf -- /c/pip"),
        ("Look", "du -- /"),
    ]


def test_steps_where_one_is_not_enough() -> None:
    advised = advise(
        Shortage(bytes=3 * GiB),
        cache("checkpoint", GiB),
        cache("torch-hub", GiB // 2),
        cache("conda", GiB // 2, complete=False),
        cache("uv", GiB),
    )

    assert advised == [
        ("Empty uv's cache (frees 1.0 GiB)", "uv cache clean"),
        (
            "Then remove conda's packages that no environment uses (frees at least 512.0 MiB)",
            "conda clean --all --yes",
        ),
        (
            "Then remove the weights of torch.hub, to download again (frees 512.0 MiB)",
            "rm -rf -- /c/torch-hub",
        ),
        (
            "Then choose which older checkpoints to remove (1 of them: 1.0 GiB)",
            "rm -i -- /c/checkpoint",
        ),
        ("Then look: 1.0 GiB more must be free", "du -- /"),
    ]


def test_inodes_are_counted_in_files() -> None:
    assert advise(Shortage(files=3), cache("pip", 1))[0][0].startswith("Empty pip's cache")
    assert advise(Shortage(files=1000)) == [("Look: 1,000 files more must be free", "du -- /")]
