"""Which lines of a step run the model, or wait for the GPU, by their text alone."""

from pathlib import Path

import pytest

from pipedoctor.watch.samples.called_names import is_decoding_line, is_locking_line, is_model_line


@pytest.mark.parametrize(
    ("line", "waits"),
    [
        ("total += loss.item()", True),
        ("images = batch.to(device, non_blocking=True)", True),
        ("scores = outputs.detach().cpu()", True),
        ("images = batch.cuda()", True),
        ("loss = criterion (outputs, labels)", True),
        ("loss.mean().backward()", True),
        ("weights = a @ b", True),
        ("records.append(row)", False),
        ("cpu = count(rows)", False),
    ],
)
def test_a_line_that_waits_for_the_gpu(tmp_path: Path, line: str, waits: bool) -> None:
    file = tmp_path / "train.py"
    file.write_text(f"{line}\n")

    assert is_model_line((str(file), 1, "train")) is waits


@pytest.mark.parametrize(
    ("line", "function", "locks"),
    [
        ("row = self.db.execute(query, (index,)).fetchone()", "Rows.__getitem__", True),
        ("    with self.connection:", "save", True),
        ("time.sleep(0.05)", "FileLock.acquire", True),
        ("time.sleep(0.05)", "load", False),
        ("with open(path) as file:", "load", False),
        ("return fetch(index)", "load", False),
    ],
)
def test_a_line_that_sleeps_until_a_lock_is_given_back(
    tmp_path: Path, line: str, function: str, locks: bool
) -> None:
    file = tmp_path / "items.py"
    file.write_text(f"{line}\n")

    assert is_locking_line((str(file), 1, function)) is locks


@pytest.mark.parametrize(
    ("line", "decodes"),
    [
        ("return torch.load(path)['x']", True),
        ("rows = np.load(file, allow_pickle=True)", True),
        ("config = yaml.safe_load(text)", True),
        ("values = numpy.fromfile(path)", True),
        ("return self.load(index)", False),
        ("np.loads_of_rows", False),
    ],
)
def test_a_line_that_makes_values_of_bytes(tmp_path: Path, line: str, decodes: bool) -> None:
    file = tmp_path / "items.py"
    file.write_text(f"{line}\n")

    assert is_decoding_line((str(file), 1, "get")) is decodes
