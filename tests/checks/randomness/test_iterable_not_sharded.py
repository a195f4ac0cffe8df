"""PDR504: every worker yields all the data."""

from pipedoctor_checks.randomness.iterable_not_sharded import iterable_not_sharded
from tests.checks.code_samples import make_tests

STREAM_LOADER = """
class Stream(IterableDataset):
    def __iter__(self):
        {body}
def main():
    loader = DataLoader(Stream(), num_workers={workers})
"""
SILENT = {
    "one worker": STREAM_LOADER.format(body="yield 1", workers=1),
    "a queue": STREAM_LOADER.format(body="yield self.queue.get()", workers=2),
    "a socket": STREAM_LOADER.format(body="yield self.socket.recv(9)", workers=2),
    "by worker": STREAM_LOADER.format(
        body="yield torch.utils.data.get_worker_info().id", workers=2
    ),
    "no workers": STREAM_LOADER.format(body="yield 1", workers=0),
    "another way in a class below": STREAM_LOADER.format(body="yield 1", workers=2)
    .replace(
        "def main", "class Own(Stream):\n    def __iter__(self):\n        yield self.rank\ndef main"
    )
    .replace("Stream()", "Own()"),
    "drawn": STREAM_LOADER.format(body="yield random.random()", workers=2),
}
SPEAKS = {
    "of a class above": STREAM_LOADER.format(body="yield 1", workers=2)
    .replace("def main", "class Own(Stream):\n    pass\ndef main")
    .replace("Stream()", "Own()"),
    "all of it": STREAM_LOADER.format(body="yield 1", workers=2),
    "words of a line": STREAM_LOADER.format(body="yield from self.line.split()", workers=2),
    "in another order": STREAM_LOADER.format(
        body="random.shuffle(self.files)\n        yield from self.files", workers=2
    ),
}
test_silent, test_speaks = make_tests(iterable_not_sharded, SILENT, SPEAKS)
