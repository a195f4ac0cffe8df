"""Every option arrives in the request of its command, under its name and with its type."""

from collections.abc import Iterator

import click
import msgspec
import pytest

from pipedoctor.cli import main
from pipedoctor.cli.request import check_options, requests
from pipedoctor.cli.request.requests import (
    CheckRequest,
    DiffRequest,
    ExplainRequest,
    FixCommandRequest,
    ReportRequest,
    TuneRequest,
    WhatIfRequest,
    build_check_request,
    build_report_request,
    drop_defaults,
)
from pipedoctor.cli.request.requests_bench import (
    DecodeBenchRequest,
    DiskBenchRequest,
    LoaderBenchRequest,
    TransferBenchRequest,
)
from pipedoctor.source.discover import files

REQUESTS: dict[str, type[msgspec.Struct]] = {
    "explain": ExplainRequest,
    "diff": DiffRequest,
    "tune": TuneRequest,
    "whatif": WhatIfRequest,
    "fix": FixCommandRequest,
    "bench decode": DecodeBenchRequest,
    "bench disk": DiskBenchRequest,
    "bench loader": LoaderBenchRequest,
    "bench transfer": TransferBenchRequest,
}
VALUES = {
    "text": "x:y",
    "path": "x:y",
    "size": "64M",
    "integer": "2",
    "integer range": "2",
    "float": "2.5",
    "float range": "2.5",
    "times": "2x",
    "WxH": "64x64",
}


def find_command(words: str) -> click.Command:
    found: click.Command = main
    for word in words.split():
        assert isinstance(found, click.Group)
        inner = found.get_command(click.Context(found), word)
        assert inner is not None
        found = inner
    return found


def write_options(command: click.Command) -> Iterator[str]:
    """Each option once, with a value that its type accepts; then the arguments."""
    words: list[str] = []
    for parameter in command.params:
        kind = parameter.type
        value = kind.choices[-1] if isinstance(kind, click.Choice) else VALUES.get(kind.name, "")
        if isinstance(parameter, click.Argument):
            words.append(str(value))
        elif isinstance(parameter, click.Option):
            yield parameter.opts[0]
            if not parameter.is_flag:
                yield str(value)
    yield from words


def parse(words: str, arguments: list[str]) -> click.Context:
    return find_command(words).make_context(words, [*arguments])


@pytest.fixture
def hints(monkeypatch: pytest.MonkeyPatch) -> None:
    """What only type checkers import, so that values can be checked by it."""
    for module in (check_options, files):
        for name in ("CommandLineOptions", "SourceFile"):
            if hasattr(module, name):
                monkeypatch.setattr(requests, name, getattr(module, name), raising=False)


@pytest.mark.usefixtures("hints")
@pytest.mark.parametrize("words", REQUESTS)
def test_every_option_arrives_with_its_type(words: str) -> None:
    command, kind = find_command(words), REQUESTS[words]
    names = {parameter.name for parameter in command.params}
    full = parse(words, list(write_options(command)))

    assert names == set(kind.__struct_fields__)
    request = msgspec.convert(full.params, kind)
    assert request == kind(**full.params)
    assert drop_defaults(full, full.params) == full.params


@pytest.mark.usefixtures("hints")
@pytest.mark.parametrize("words", REQUESTS)
def test_what_is_not_written_has_the_default_of_the_request(words: str) -> None:
    command, kind = find_command(words), REQUESTS[words]
    required = ["x:y" for one in command.params if one.required]
    bare = parse(words, required)

    msgspec.convert(bare.params, kind)
    named = drop_defaults(bare, bare.params)
    assert len(named) == len(required)
    given_by_click = {field.name for field in msgspec.structs.fields(kind) if field.required}
    shared = {n: v for n, v in bare.params.items() if n in given_by_click}
    assert kind(**{**shared, **named}) == kind(**bare.params)


def written(request: CheckRequest) -> dict[str, object]:
    own = msgspec.structs.asdict(request)
    options = own.pop("configurable").options
    own.pop("stdin_source")
    return {**own, **msgspec.structs.asdict(options)}


def test_check_divides_its_options_by_what_a_configuration_may_hold() -> None:
    command = find_command("check")
    full = parse("check", list(write_options(command)))
    request = build_check_request(drop_defaults(full, full.params))

    assert written(request) == full.params
    assert request.configurable.names == set(check_options.CheckOptions.__struct_fields__)
    assert build_check_request({}).configurable == check_options.CommandLineOptions()


def test_report_examines_as_check_does() -> None:
    command = find_command("report")
    full = parse("report", list(write_options(command)))
    request = build_report_request(drop_defaults(full, full.params))

    own = {name: getattr(request, name) for name in ReportRequest.__struct_fields__}
    own.pop("examination")
    seen = {**written(request.examination), **own}
    assert {name: seen[name] for name in full.params} == full.params


def test_an_option_without_a_field_is_refused() -> None:
    with pytest.raises(TypeError, match="color"):
        build_check_request({"color": True})
