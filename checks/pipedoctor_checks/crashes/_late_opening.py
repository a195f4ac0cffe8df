"""How a dataset opens a file in the worker, in the names of the log's own code."""

from pipedoctor.check import Remedy, in_code
from pipedoctor.facts.log import Log

_LINES = """def __init__(self, {given}):
    self.{given} = {given}
    self.{name} = None


def __getitem__(self, index):
    if self.{name} is None:
        self.{name} = {opened}
    ...  # read from self.{name}, as now"""


def open_on_first_use(log: Log, cause: str, usual: str, resource: str) -> Remedy:
    """Open it late; the attribute is the one that the log's code reads, else `usual`."""
    name = log.find_value(cause, "attr") or usual
    given = log.find_value(cause, "given") or "path"
    title = "Open it in the worker, on first use, not in __init__"
    resource = resource.replace("self.path", f"self.{given}")
    return in_code(title, _LINES.format(name=name, given=given, opened=resource))
