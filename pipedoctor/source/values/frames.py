"""The calls of functions that are told apart, up to a bound."""

import ast

from pipedoctor.source.resolve.project import Project
from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.values.lattice import Frame, InstanceValue

_MAX_FRAMES = 3
"""Calls within calls that are told apart."""
_MAX_WAYS = 96
"""
Ways into a function that are told apart, by the calls of its name and of those around it.

It is counted in the text, not among those that somebody has asked for: what is told apart
does not rest on who asks first.
"""
_CALLED_BY_OBJECT = frozenset(("__call__", "forward"))


class FrameTable:
    """All frames, each once."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._frames: dict[tuple[object, ...], Frame] = {}
        self._plain: dict[CodeScope, Frame] = {}
        self._sites: dict[CodeScope, int] = {}

    def find_plain(self, scope: CodeScope) -> Frame:
        """The frame of any call of a function; most that are asked for."""
        frame = self._plain.get(scope)
        if frame is None:
            frame = self._plain[scope] = self.find(scope, None, None, None)
        return frame

    def find(
        self,
        scope: CodeScope,
        owner: InstanceValue | None,
        call: ast.Call | None,
        caller: Frame | None,
    ) -> Frame:
        """The frame of a call; of any call where none is given, or too many are nested."""
        if owner is None and scope.owner is not None:
            owner = InstanceValue(scope.owner)
        key = (scope, owner, id(call), caller)
        frame = self._frames.get(key)
        if frame is not None:
            return frame
        around = caller.depth + 1 if caller is not None else 0
        made_in = owner.frame if owner is not None else None
        depth = max(around, made_in.depth + 1 if made_in is not None else 0)
        ways = self._count_ways(scope, owner, call, caller)
        if depth > _MAX_FRAMES or ways > _MAX_WAYS:
            owner = InstanceValue(owner.cls) if owner is not None else None
            key = (scope, owner, id(None), None)
            frame = self._frames.get(key) or Frame(scope, owner, number=len(self._frames))
        else:
            frame = Frame(scope, owner, call, caller, depth, len(self._frames), ways)
        self._frames[key] = frame
        return frame

    def _count_ways(
        self,
        scope: CodeScope,
        owner: InstanceValue | None,
        call: ast.Call | None,
        caller: Frame | None,
    ) -> int:
        """In how many ways a function may be entered so: by calls, and by calls around these."""
        ways = self._count_sites(scope) if call is not None else 1
        if caller is not None:
            ways *= caller.ways
        if owner is not None and owner.frame is not None and owner.frame is not caller:
            ways *= owner.frame.ways
        return ways

    def _count_sites(self, scope: CodeScope) -> int:
        """The calls of a name that a function has, or that its objects have."""
        found = self._sites.get(scope)
        if found is None:
            last, owner = scope.name.rpartition(".")[2], scope.owner
            if owner is not None and last in _CALLED_BY_OBJECT:
                sites = self.project.find_variable_calls(owner.name)
            else:
                made = owner is not None and last == "__init__"
                sites = self.project.find_call_sites(owner.name if made and owner else last)
            found = self._sites[scope] = max(1, len(sites))
        return found
