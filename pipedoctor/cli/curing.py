"""What `pipedoctor fix` is asked for, as an order: the job, the checks, the sizes."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pipedoctor.catalogue import Catalogue
    from pipedoctor.check import Check
    from pipedoctor.fix.named import Examination
    from pipedoctor.fix.order import Order
    from pipedoctor.fix.sizes import Asked

JOB = ("data", "workers", "prefetch", "batch_bytes", "ranks")
"""Options that say what is known of the job, as `check` has them."""


def ordered(names: tuple[str, ...], typed: Mapping[str, Any]) -> "Order":
    """What NAMES, --shm and --nofile ask for; raises UsageError."""
    from pipedoctor.catalogue import installed
    from pipedoctor.fix.order import Order

    catalogue = installed()
    pid = typed["pid"]
    checks = tuple(dict.fromkeys(_check(catalogue, name) for name in names))
    job = {name: typed[name] for name in JOB}
    return Order(
        examination=examination(catalogue, job, pid if checks else None),
        shm=_size(typed["shm"]) if typed["shm"] is not None else None,
        nofile=typed["nofile"],
        checks=checks,
        pid=pid,
        lasting=typed["persist"],
        force=typed["force"],
    )


def plain_order() -> "Order":
    """An undo asks for nothing: no job, and no configuration that could be broken."""
    from pipedoctor.catalogue import installed
    from pipedoctor.collect.plan import Inquiry
    from pipedoctor.fix.named import Examination
    from pipedoctor.fix.order import Order

    inquiry = Inquiry(quick=True)
    return Order(examination=Examination(catalogue=installed(), inquiry=inquiry))


def examination(
    catalogue: "Catalogue", job: Mapping[str, Any], pid: int | None = None
) -> "Examination":
    """Judge as `check --quick` would: the same job, the same configuration."""
    from pipedoctor.cli.inquiry import inquiry
    from pipedoctor.collect.files import Silent
    from pipedoctor.config import File, Unfit, configure, find
    from pipedoctor.examine import Standards
    from pipedoctor.fix.named import Examination
    from pipedoctor.narrow.narrow import Narrowing
    from pipedoctor.selection import UnknownName, selection

    given = {k.replace("_", "-"): v for k, v in job.items() if v not in {None, ()}}
    try:
        config = configure(find(), given | {"quick": True}, catalogue)
    except Unfit as error:
        raise click.UsageError(str(error)) from None
    except Silent as error:
        click.echo(f"pipedoctor: no configuration was read: {error}", err=True)
        config = configure(File(), given | {"quick": True}, catalogue)
    try:
        chosen = selection(catalogue, config.options.select, config.options.ignore)
    except UnknownName as error:
        raise click.UsageError(str(error)) from None
    return Examination(
        catalogue=catalogue,
        inquiry=inquiry(config.options, (), pid),
        standards=Standards(
            chosen=chosen,
            settings=config.settings,
            accepted=config.accepted,
            narrowing=Narrowing(rules=config.rules),
        ),
    )


def _size(text: str) -> "Asked":
    from pipedoctor.fix.sizes import asked

    try:
        return asked(text)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--shm") from None


def _check(catalogue: "Catalogue", name: str) -> "Check[Any]":
    import difflib

    check = catalogue.find(name)
    if check is None:
        near = difflib.get_close_matches(name.lower(), catalogue.by_name, n=1)
        hint = f"; did you mean {near[0]}?" if near else "; see `pipedoctor list`"
        message = f"{name}: no check of this name or code{hint}"
        raise click.UsageError(message)
    return check
