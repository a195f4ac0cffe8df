"""PDR410: memory of another stream may be reused too early."""

from pipedoctor_checks.training.side_stream_no_record import side_stream_no_record
from tests.checks.code_samples import find_one, make_tests

SIDE_STREAM = """
class Ahead:
    def fetch(self):
        with torch.cuda.stream(self.stream):
            self.batch = self.batch.cuda(non_blocking=True)
    {}
"""
SILENT = {
    "recorded": SIDE_STREAM.format("def next(self):\n        self.batch.record_stream(main)"),
    "recorded by another function": "def copy(x, stream):\n    with torch.cuda.stream(stream):\n"
    "        return x.cuda(non_blocking=True)\n\n"
    "def wait(x, stream):\n    x.record_stream(stream)\n",
    "no stream": "def f(x):\n    return x.cuda(non_blocking=True)\n",
}
SPEAKS = {"never": SIDE_STREAM.format("pass")}
test_silent, test_speaks = make_tests(side_stream_no_record, SILENT, SPEAKS)


def test_the_remedy_names_the_copied_tensor() -> None:
    (remedy,) = find_one(side_stream_no_record, SPEAKS["never"]).remedies

    assert remedy.snippet == "self.batch.record_stream(torch.cuda.current_stream())"
