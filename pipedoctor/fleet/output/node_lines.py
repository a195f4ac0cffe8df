"""
What lines to paste have in common: a node each, why, and what is left out.

They are printed and never run. Names and reasons are quoted, in comments as well, for
not every shell knows comments at its prompt. A name that such a tool would read as more
than one node (``ALL``, ``h[1-9]``, ``-f``) is left out, with a comment that says so.
"""

import re
import shlex
from collections.abc import Callable, Iterator

from pipedoctor.fleet.model import FleetReport
from pipedoctor.fleet.summary import list_nodes_to_drain
from pipedoctor.report.sentences import clean_text

NO_NODE = "# no node to drain\n"
_MAX_REASON = 200
"""Letters of a reason that every scheduler shows."""
_SINGLE_NODE = re.compile(r"""(?!(?i:ALL)$)(?!-)[^]\s,["'\\{}=/]{1,253}""")
"""What these tools take for one node, be it the name of one or not."""
_NOT_IN_REASON = re.compile(r"[^A-Za-z0-9 .,:;%/()_+=@-]")


def render_lines(
    report: FleetReport,
    render_line: Callable[[str, str], str],
    tool: str,
) -> str:
    """A line for each node to drain that `tool` takes by its name."""

    def list_lines() -> Iterator[str]:
        for node, reasons in list_nodes_to_drain(report).items():
            if node == clean_text(node) and _SINGLE_NODE.fullmatch(node):
                yield render_line(node, _join_reasons(reasons))
            else:
                yield render_omission(node, tool)

    return "\n".join(list_lines()) + "\n" if list_nodes_to_drain(report) else NO_NODE


def _join_reasons(reasons: list[str]) -> str:
    """One line of plain letters: it goes through a shell and into other programs."""
    text = _NOT_IN_REASON.sub("_", f"pipedoctor: {'; '.join(reasons)}")
    return text if len(text) <= _MAX_REASON else f"{text[: _MAX_REASON - 3]}..."


def render_omission(node: str, tool: str) -> str:
    """The comment in place of a node that cannot be named."""
    return f"# left out, no name of one node to {tool}: {shlex.quote(clean_text(node))}"
