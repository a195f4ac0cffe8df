"""Which lines of a step run the model, or wait for the GPU, by their text alone."""

from pathlib import Path

import pytest

from pipedoctor.watch.called_names import is_model_line


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
