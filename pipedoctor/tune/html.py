"""A tuning as one self-contained page."""

from collections.abc import Iterator
from html import escape

from pipedoctor.facts import Setting
from pipedoctor.tune.json import stages
from pipedoctor.tune.predict import Prediction, alike
from pipedoctor.tune.text import (
    foretold,
    frontier,
    held,
    rate,
    recommended,
    waits,
    windows,
)
from pipedoctor.tune.tuning import Tuning
from pipedoctor.units import human

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;
color:#1b1f24;background:#fff}
pre{background:#f3f4f6;padding:.8rem 1rem;overflow:auto;border-radius:6px}
table{border-collapse:collapse;margin:.5rem 0 1.5rem;display:block;overflow-x:auto}
th,td{padding:.3rem .7rem;text-align:right;font-variant-numeric:tabular-nums;
white-space:nowrap}
.measured{outline:2px solid #1b1f24;outline-offset:-2px;font-weight:600}
.best::before{content:"★ "}
.bar{background:#3b6fb6;height:.8rem;display:inline-block;max-width:40vw}
@media(prefers-color-scheme:dark){body{background:#14171a;color:#e6e8ea}
pre{background:#20252a}.measured{outline-color:#e6e8ea}}
"""

_DARKEST = 0.6
"""Of the colour behind a number, which has to stay legible."""


def page(tuning: Tuning) -> str:
    """The page; everything that came from outside is escaped."""
    title = f"Tuning of {escape(tuning.order.target)}"
    body = "\n".join(_body(tuning))
    return (
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
        '<meta name=viewport content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head>\n"
        f"<body><h1>{title}</h1>\n{body}\n</body></html>\n"
    )


def _body(tuning: Tuning) -> Iterator[str]:
    choice = tuning.choice
    yield f"<pre>{escape(recommended(tuning))}</pre>"
    if tuning.interrupted:
        yield "<p><strong>Interrupted:</strong> this is what was known by then.</p>"
    if tuning.unmeasured:
        yield f"<p><strong>Not decided:</strong> {escape(tuning.unmeasured)}</p>"
    if choice.trial is not None and choice.start is not None:
        yield (
            f"<p>Measured {rate(choice.trial.samples_per_second)}; the current "
            f"setting {rate(choice.start.samples_per_second)}: {choice.gain:.2f} times "
            f"as fast. Confidence: {choice.confidence}.</p>"
        )
    for said in (foretold(tuning), waits(tuning)):
        yield f"<p>{escape(said)}</p>" if said else ""
    yield f"<p>{escape(windows(tuning))}.</p>"
    cause = tuning.bottleneck
    yield f"<p><strong>{escape(cause.name)}</strong>: {escape(cause.why)}.</p>"
    yield from _stages(tuning)
    for in_order in (True, False):
        chosen = [p for p in tuning.predictions if p.setting.in_order is in_order]
        if chosen:
            yield from _map(chosen, choice.setting, in_order=in_order)
    yield from _frontier(tuning)
    for reason in tuning.said:
        yield f"<p>Limit: {escape(reason)}</p>"


def _stages(tuning: Tuning) -> Iterator[str]:
    found = stages(tuning)
    if not found:
        return
    total = sum(found.values()) or 1.0
    yield "<h2>Where a sample's time goes</h2><table>"
    for name, seconds in found.items():
        bar = f"<span class=bar style='width:{16 * seconds / total:.2f}rem'></span>"
        yield (
            f"<tr><th>{name}</th><td>{seconds * 1e3:.3f} ms</td>"
            f"<td style='text-align:left'>{bar}</td></tr>"
        )
    yield "</table>"


def _map(
    guesses: list[Prediction], chosen: Setting, *, in_order: bool
) -> Iterator[str]:
    cells = {(p.setting.num_workers, p.setting.prefetch_factor): p for p in guesses}
    columns = sorted({workers for workers, _ in cells})
    rows = sorted({p for _, p in cells}, key=lambda p: p or 0)
    most = max(p.samples_per_second for p in guesses)
    order = "" if in_order else ", in_order=False"
    yield f"<h2>Samples per second{order}</h2>"
    yield (
        "<p>Across: num_workers; down: prefetch_factor. Framed cells were measured, "
        "the others are predicted; ★ is what is recommended.</p><table>"
    )
    head = "".join(f"<th scope=col>{n}</th>" for n in columns)
    yield f"<tr><td></td>{head}</tr>"
    for prefetch in rows:
        row = "".join(_cell(cells.get((n, prefetch)), most, chosen) for n in columns)
        yield f"<tr><th scope=row>{prefetch or 'none'}</th>{row}</tr>"
    yield "</table>"


def _cell(guess: Prediction | None, most: float, chosen: Setting) -> str:
    if guess is None:
        return "<td></td>"
    share = _DARKEST * guess.samples_per_second / most
    names = ["measured"] * guess.measured + ["best"] * alike(guess.setting, chosen)
    kind = f" class='{' '.join(names)}'" if names else ""
    how = "measured" if guess.measured else "predicted"
    title = f"{how}: {guess.low:.0f} to {guess.high:.0f}"
    return (
        f"<td{kind} title='{title}' style='background:rgba(59,111,182,{share:.2f})'>"
        f"{guess.samples_per_second:.0f}</td>"
    )


def _frontier(tuning: Tuning) -> Iterator[str]:
    yield "<h2>What more speed costs</h2><table>"
    yield (
        "<tr><th>num_workers</th><th>prefetch_factor</th><th>samples/s</th>"
        "<th>/dev/shm</th><th>memory</th><th>descriptors</th></tr>"
    )
    for guess in frontier(tuning.predictions):
        setting = guess.setting
        yield (
            f"<tr><td>{setting.num_workers}</td>"
            f"<td>{setting.prefetch_factor or ''}</td>"
            f"<td>{guess.samples_per_second:.0f}</td><td>{human(guess.shm_bytes)}</td>"
            f"<td>{held(guess.lasting_bytes)}</td><td>{guess.descriptors}</td></tr>"
        )
    yield "</table>"
