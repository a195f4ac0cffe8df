"""
Where in memory CPython keeps threads, frames and code: fixed, or by its own table.

3.10 to 3.12: `offsetof` of their headers (pycore_runtime.h, pycore_interp.h,
pycore_frame.h, frameobject.h, cpython/code.h), compiled on x86-64; these layouts are
the same on every 64-bit system and in all releases of a minor version. From 3.13 on the
interpreter carries a table, `_Py_DebugOffsets` (pycore_debug_offsets.h, PEP 768).
"""

import struct

import msgspec

from pipedoctor.watch.stacks.remote_memory import RemoteMemory

COOKIE = b"xdebugpy"
OLDEST, NEWEST = (3, 10), (3, 14)


class UnknownLayoutError(Exception):
    """
    An interpreter keeps its frames in a way that is not known; says which.

    `version`: of CPython, where it is one.
    """

    def __init__(self, reason: str, version: tuple[int, int] | None = None) -> None:
        super().__init__(reason)
        self.version = version


class FrameLayout(msgspec.Struct, frozen=True, kw_only=True):
    """Offsets in bytes."""

    version: tuple[int, int]
    interpreters: int
    threads: int
    next_thread: int
    native_thread: int | None
    """None: 3.10 does not know the kernel's number of a thread."""
    current_frame: int
    indirect_frame: int | None = None
    """3.11 and 3.12: the current frame lies at this offset of what is found above."""
    frame_code: int
    frame_previous: int
    frame_instruction: int
    frame_locals: int
    frame_size: int
    code_filename: int
    code_name: int
    code_linetable: int
    code_first_line: int
    code_bytes: int | None
    """None: the frame has the index of its instruction, not its address."""
    code_locals: int
    code_size: int
    text_state: int = 32
    text_ascii: int
    text_compact: int
    bytes_value: int = 32
    tuple_items: int = 24
    sequence_size: int = 16
    long_tag: int | None = None
    """None: the size of an integer is signed, as before 3.12."""
    long_digits: int = 24
    tagged: bool = False
    """References on the stack carry marks in their lowest bits (3.14)."""


LAYOUT_310 = FrameLayout(
    version=(3, 10),
    interpreters=32,
    threads=8,
    next_thread=8,
    native_thread=None,
    current_frame=24,
    frame_code=32,
    frame_previous=24,
    frame_instruction=96,
    frame_locals=352,
    frame_size=112,
    code_filename=104,
    code_name=112,
    code_linetable=120,
    code_first_line=40,
    code_bytes=None,
    code_locals=72,
    code_size=176,
    text_ascii=48,
    text_compact=72,
)
LAYOUT_311 = FrameLayout(
    version=(3, 11),
    interpreters=40,
    threads=16,
    next_thread=8,
    native_thread=160,
    current_frame=56,
    indirect_frame=8,
    frame_code=32,
    frame_previous=48,
    frame_instruction=56,
    frame_locals=72,
    frame_size=72,
    code_filename=112,
    code_name=128,
    code_linetable=136,
    code_first_line=72,
    code_bytes=184,
    code_locals=96,
    code_size=192,
    text_ascii=48,
    text_compact=72,
)
LAYOUT_312 = FrameLayout(
    version=(3, 12),
    interpreters=40,
    threads=72,
    next_thread=8,
    native_thread=144,
    current_frame=56,
    indirect_frame=0,
    frame_code=0,
    frame_previous=8,
    frame_instruction=56,
    frame_locals=72,
    frame_size=72,
    code_filename=112,
    code_name=128,
    code_linetable=136,
    code_first_line=68,
    code_bytes=192,
    code_locals=96,
    code_size=200,
    text_ascii=40,
    text_compact=56,
    long_tag=16,
)
FIXED_LAYOUTS = {layout.version: layout for layout in (LAYOUT_310, LAYOUT_311, LAYOUT_312)}

_STATE_313 = "id next threads_head gc modules sys builtins gil run enabled locked holder"
_STATE_314 = (
    "id next threads_head threads_main gc modules sys builtins gil run enabled locked"
    " holder code_generation tlbc_generation"
)
_CODE = "filename name qualname linetable first argcount localnames kinds bytecode"
TABLE_FIELDS = {
    (3, 13): (
        ("runtime", "finalizing interpreters"),
        ("interpreter", _STATE_313),
        ("thread", "prev next interp current id native chunk status"),
        ("frame", "previous executable instruction locals owner"),
        ("code", _CODE),
        ("object", "type"),
        ("type", "name repr flags"),
        ("tuple", "items size_of"),
        ("list", "items size_of"),
        ("dict", "keys values"),
        ("float", "value"),
        ("long", "tag digits"),
        ("bytes", "size_of value"),
        ("text", "state length ascii"),
    ),
    (3, 14): (
        ("runtime", "finalizing interpreters"),
        ("interpreter", _STATE_314),
        ("thread", "prev next interp current id native chunk status"),
        ("frame", "previous executable instruction locals owner stack tlbc"),
        ("code", f"{_CODE} tlbc"),
        ("object", "type"),
        ("type", "name repr flags"),
        ("tuple", "items size_of"),
        ("list", "items size_of"),
        ("set", "used table mask"),
        ("dict", "keys values"),
        ("float", "value"),
        ("long", "tag digits"),
        ("bytes", "size_of value"),
        ("text", "state length ascii"),
    ),
}
"""The fields of the table in their order; each part begins with its size."""


def read_layout(memory: RemoteMemory, runtime: int, version: tuple[int, int]) -> FrameLayout:
    """The layout of this interpreter; raises UnknownLayoutError."""
    known = FIXED_LAYOUTS.get(version)
    if known is not None:
        return known
    return parse_table(memory.read(runtime, 1024))


def parse_table(data: bytes) -> FrameLayout:
    """Read `_Py_DebugOffsets`; raises UnknownLayoutError."""
    if data[:8] != COOKIE:
        message = "no table of offsets where CPython 3.13 and newer have one"
        raise UnknownLayoutError(message)
    number, free_threaded = struct.unpack_from("<QQ", data, 8)
    version = (number >> 24, number >> 16 & 0xFF)
    if free_threaded:
        message = f"CPython {version[0]}.{version[1]} is a free-threaded build"
        raise UnknownLayoutError(message, version)
    if version not in TABLE_FIELDS:
        message = f"the table of CPython {version[0]}.{version[1]} is not known"
        raise UnknownLayoutError(message, version)
    return _build_layout(_parse_fields(data, version), version)


def _parse_fields(data: bytes, version: tuple[int, int]) -> dict[str, int]:
    fields: dict[str, int] = {}
    place = 24
    for part, names in TABLE_FIELDS[version]:
        for name in ("size", *names.split()):
            (fields[f"{part}.{name}"],) = struct.unpack_from("<Q", data, place)
            place += 8
    return fields


def _build_layout(fields: dict[str, int], version: tuple[int, int]) -> FrameLayout:
    if max(fields.values()) > 1 << 24 or fields["frame.size"] > fields["frame.locals"] + 64:
        message = "the table of offsets is invalid"
        raise UnknownLayoutError(message)
    return FrameLayout(
        version=version,
        interpreters=fields["runtime.interpreters"],
        threads=fields["interpreter.threads_head"],
        next_thread=fields["thread.next"],
        native_thread=fields["thread.native"],
        current_frame=fields["thread.current"],
        frame_code=fields["frame.executable"],
        frame_previous=fields["frame.previous"],
        frame_instruction=fields["frame.instruction"],
        frame_locals=fields["frame.locals"],
        frame_size=fields["frame.locals"],
        code_filename=fields["code.filename"],
        code_name=fields["code.qualname"],
        code_linetable=fields["code.linetable"],
        code_first_line=fields["code.first"],
        code_bytes=fields["code.bytecode"],
        code_locals=fields["code.localnames"],
        code_size=fields["code.bytecode"],
        text_state=fields["text.state"],
        text_ascii=fields["text.ascii"],
        text_compact=fields["text.ascii"] + 16,
        bytes_value=fields["bytes.value"],
        tuple_items=fields["tuple.items"],
        sequence_size=fields["tuple.size_of"],
        long_tag=fields["long.tag"],
        long_digits=fields["long.digits"],
        tagged=version >= (3, 14),
    )
