"""PDR102: a fixed number of workers, whatever the machine."""

from pipedoctor_checks.loader.num_workers_hardcoded import num_workers_hardcoded
from tests.checks.code_samples import HEAD, find, loader_call, make_tests
from tests.checks.image_samples import IMAGES
from tests.checks.measured_samples import LINE, SLOW_FIXED, measured_pipeline

PAIR = """
train = DataLoader(Images(), num_workers=16, drop_last=True)
val = DataLoader(Images(), num_workers=16)
"""
SILENT = {
    "a dataset is tried out": IMAGES + "if __name__ == '__main__':\n"
    "    for x in DataLoader(Images(), num_workers=16):\n        print(x)\n",
    "the CPUs of the process": loader_call("Images(), num_workers=os.process_cpu_count() // 2"),
    "CPUs and something else": loader_call("Images(), num_workers=os.cpu_count() // ranks"),
    "the lesser of two": loader_call("Images(), num_workers=min(os.cpu_count(), n)"),
    "few": loader_call("Images(), num_workers=7"),
    "an option": loader_call("Images(), num_workers=args.workers"),
}
SPEAKS = {
    "many": loader_call("Images(), num_workers=8"),
    "half the CPUs": loader_call("Images(), num_workers=os.cpu_count() // 2"),
    "some CPUs": loader_call("Images(), num_workers=max(1, int((os.cpu_count() or 1) * 0.8))"),
    "all CPUs": loader_call("Images(), num_workers=os.cpu_count()"),
    "through a variable": loader_call(
        "Images(), **common", before="common = dict(num_workers=os.cpu_count())"
    ),
}
test_silent, test_speaks = make_tests(num_workers_hardcoded, SILENT, SPEAKS)


def test_loaders_of_one_file_with_one_cause_are_one_finding() -> None:
    (finding,) = find(num_workers_hardcoded, IMAGES + PAIR)

    assert finding.summary.startswith("train, like val, always has 16 workers")
    assert finding.location is not None
    assert [place.line for place in finding.also_at] == [finding.location.line + 1]


def test_many_of_them_are_counted() -> None:
    more = "test = DataLoader(Images(), num_workers=16)\n"

    (finding,) = find(num_workers_hardcoded, IMAGES + PAIR + more)

    assert finding.summary.startswith("train, like 2 others, always")


def test_another_cause_is_another_finding() -> None:
    other = PAIR.replace(
        "val = DataLoader(Images(), num_workers=16", "val = DataLoader(Images(), num_workers=32"
    )

    assert len(find(num_workers_hardcoded, IMAGES + other)) == 2


def test_another_file_is_another_finding() -> None:
    line = "loader = DataLoader(Images(), num_workers=16)\n"
    files: dict[str, str] = dict.fromkeys(("a.py", "b.py"), HEAD + IMAGES + line)

    assert len(find(num_workers_hardcoded, files)) == 2


def test_a_number_that_was_measured_to_be_best_is_left_alone() -> None:
    assert not find(num_workers_hardcoded, SLOW_FIXED, measured_pipeline(LINE, workers=32))
    assert find(num_workers_hardcoded, SLOW_FIXED, measured_pipeline(LINE, workers=16))
    assert find(num_workers_hardcoded, SLOW_FIXED, measured_pipeline(LINE - 5, workers=32))
