"""The calls of functions that are told apart, up to a bound."""

import ast
from collections import Counter

from pipedoctor.source.syntax.scope import CodeScope
from pipedoctor.source.values.lattice import Frame, InstanceValue

_MAX_FRAMES = 3
"""Calls within calls that are told apart."""
_MAX_FRAMES_OF_FUNCTION = 32
"""Calls of one function that are told apart; more are one."""


class FrameTable:
    """All frames, each once."""

    def __init__(self) -> None:
        self._frames: dict[tuple[object, ...], Frame] = {}
        self._count: Counter[CodeScope] = Counter()
        self._plain: dict[CodeScope, Frame] = {}

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
        around = caller.depth + 1 if caller is not None else 0
        within = owner.frame.depth + 1 if owner is not None and owner.frame is not None else 0
        depth = max(around, within)
        key = (scope, owner, id(call), caller)
        frame = self._frames.get(key)
        if frame is not None:
            return frame
        if depth > _MAX_FRAMES or self._count[scope] > _MAX_FRAMES_OF_FUNCTION:
            owner = InstanceValue(owner.cls) if owner is not None else None
            key = (scope, owner, id(None), None)
            frame = self._frames.get(key) or Frame(scope, owner, number=len(self._frames))
        else:
            self._count[scope] += 1
            frame = Frame(scope, owner, call, caller, depth, len(self._frames))
        self._frames[key] = frame
        return frame
