"""How this node is called, and the name of the file that its report goes into."""

import datetime as dt
import os
from collections.abc import Mapping
from urllib.parse import quote

from pipedoctor.facts import Node

_NAME_VARIABLES = ("SLURMD_NODENAME", "NODE_NAME")
"""As the scheduler calls it: Slurm, and the downward API of Kubernetes by custom."""
_TIME_FORMAT = "%Y%m%dT%H%M%SZ"
DEFAULT_NAME = "localhost"


def get_node(environ: Mapping[str, str], host: str) -> Node:
    """The node that this process runs on; in a pod its host name is not the node's."""
    names = (environ.get(name, "").strip() for name in _NAME_VARIABLES)
    return Node(name=next(filter(None, names), "") or host or DEFAULT_NAME)


def get_this_node() -> Node:
    """The node that this process runs on."""
    host = os.uname().nodename if hasattr(os, "uname") else os.environ.get("HOST", "")
    return get_node(os.environ, host)


def build_file_name(node: str, moment: dt.datetime) -> str:
    """``h100-0417--20261123T060000Z.json``; nothing in it is a path, none is hidden."""
    spelled = quote(node, safe="").replace("~", "%7E")
    if spelled.startswith("."):
        spelled = f"%2E{spelled[1:]}"
    spelled = spelled.replace("--", "-%2D")
    return f"{spelled}--{moment.astimezone(dt.timezone.utc).strftime(_TIME_FORMAT)}.json"
