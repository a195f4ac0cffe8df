"""Programs with a loader and a loop, read as a whole."""

import textwrap

from pipedoctor.facts import Source
from pipedoctor.source.assemble import build_facts
from pipedoctor.source.discover import files
from pipedoctor.source.syntax.parse import parse_file

HEAD = "from torch.utils.data import DataLoader\n"
MADE = "DataLoader(data, num_workers=2)"


def read(code: str) -> Source:
    text = HEAD + textwrap.dedent(code)
    return build_facts([parse_file(files.SourceFile("train.py", text.encode()))])
