"""A tuning for people: the line to paste, why, the map, the price of memory."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from pipedoctor.facts import Setting
from pipedoctor.report.words import clean
from pipedoctor.tune.heatmap import CAPTION, heatmap
from pipedoctor.tune.json import stages
from pipedoctor.tune.predict import Prediction, alike
from pipedoctor.tune.startup import first_batch
from pipedoctor.tune.tuning import Tuning
from pipedoctor.units import human, many

_STAGES = ("read", "decode", "transform", "collate", "transfer")


def render(tuning: Tuning, *, width: int = 100, colour: bool = False) -> str:
    """Everything in so many columns; `colour` shades the map."""
    blocks = [
        "\n".join(_answer(tuning, width)),
        "\n".join(_steps(tuning)),
        "\n".join(_map(tuning, width, colour=colour)),
        "\n".join(_memory(tuning)),
        "\n".join(_limits(tuning, width)),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def line(setting: Setting, *, own_batches: bool = False) -> str:
    """
    ``DataLoader(dataset, batch_size=32, num_workers=4, prefetch_factor=2, ...)``.

    `own_batches`: a `batch_sampler` of the user makes them; torch takes no size then.
    """
    said = [f"num_workers={setting.num_workers}"]
    if setting.batch_size and not own_batches:
        said.insert(0, f"batch_size={setting.batch_size}")
    if setting.num_workers:
        said.append(f"prefetch_factor={setting.prefetch_factor or 2}")
    if not setting.in_order:
        said.append("in_order=False")
    if setting.persistent_workers:
        said.append("persistent_workers=True")
    if setting.pin_memory:
        said.append("pin_memory=True")
    return f"DataLoader(dataset, {', '.join(said)}, ...)"


def recommended(tuning: Tuning) -> str:
    """The line to paste."""
    return line(tuning.choice.setting, own_batches=tuning.own_batches)


def rate(value: float) -> str:
    """``1,234 samples/s`` with three figures that mean something."""
    said = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"  # noqa: PLR2004
    return f"{said} samples/s"


def _answer(tuning: Tuning, width: int) -> Iterator[str]:
    choice = tuning.choice
    kept = alike(choice.setting, tuning.seen.start)
    same = kept and choice.setting == tuning.seen.start
    yield clean(tuning.order.target)
    yield ""
    yield f"  {recommended(tuning)}"
    yield ""
    if tuning.interrupted:
        yield "  interrupted: this is what was known by then"
    if tuning.unmeasured:
        yield from _said(f"not decided: {tuning.unmeasured}", width)
    if same:
        yield from _said(f"Keep what you have: {_speed(tuning)}.", width)
    elif kept:
        yield from _said(
            f"As fast as before, but each epoch starts sooner: {_speed(tuning)}.", width
        )
    elif choice.gain:
        yield from _said(
            f"{choice.gain:.2f} times as fast as now: {_speed(tuning)}.", width
        )
    yield from _said(foretold(tuning), width)
    yield from _said(waits(tuning), width)
    why = f"Bottleneck: {tuning.bottleneck.name}: {tuning.bottleneck.why}."
    yield from _said(why, width)
    yield from _said(f"Confidence: {choice.confidence}; {windows(tuning)}.", width)


def _said(text: str, width: int) -> list[str]:
    return wrap(
        clean(text),
        max(30, width - 4),
        initial_indent="  ",
        subsequent_indent="  ",
        break_long_words=False,
    )


def _speed(tuning: Tuning) -> str:
    trial, start = tuning.choice.trial, tuning.choice.start
    if trial is None or start is None:
        return "nothing was measured"
    error = 1.65 * (trial.spread or 0.03)
    found = f"measured {rate(trial.samples_per_second)} ± {error:.0%}"
    if not alike(trial.setting, start.setting):
        found += f" against {rate(start.samples_per_second)}"
    return found


def windows(tuning: Tuning) -> str:
    """``12 s spent, 9 windows measured, 2 of them disturbed by others``."""
    trials = tuning.ledger.trials
    said = f"{tuning.spent:.0f} s spent, {many(len(trials), 'window')} measured"
    marked = sum(bool(trial.disturbed) for trial in trials)
    return f"{said}, {marked} of them disturbed by others" if marked else said


def foretold(tuning: Tuning) -> str:
    """The gain that was predicted and the one that was measured, in a sentence."""
    found, gain = tuning.foresight.of(tuning.choice.setting), tuning.choice.gain
    if found is None or gain is None or alike(found.guess.setting, tuning.seen.start):
        return ""
    low, high = found.between
    between = f"{low:.2f} to {high:.2f}"
    return f"Gain: predicted {found.gain:.2f} ({between}), measured {gain:.2f}."


def waits(tuning: Tuning) -> str:
    """What the consumer waits for each batch and for the first one, in a sentence."""
    trial, start = tuning.choice.trial, tuning.choice.start
    if trial is None or start is None:
        return ""
    each, now = (f"{1e3 * t.wait_seconds:.3g} ms" for t in (trial, start))
    first, before = (
        f"{first_batch(tuning.seen, t.setting.num_workers):.2f} s"
        for t in (trial, start)
    )
    if not alike(trial.setting, start.setting):
        each, first = f"{each} (now {now})", f"{first} (now {before})"
    return f"The consumer waits {each} for each batch, {first} for the first one."


def _steps(tuning: Tuning) -> Iterator[str]:
    found = stages(tuning)
    if not found:
        return
    total = sum(found.values()) or 1.0
    yield "  Where a sample's time goes, in one process"
    for name in _STAGES:
        share = found[name] / total
        bar = "#" * round(24 * share)
        yield f"    {name:<10}{found[name] * 1e3:9.3f} ms  {share:4.0%}  {bar}".rstrip()


def _map(tuning: Tuning, width: int, *, colour: bool) -> Iterator[str]:
    drawn = list(heatmap(tuning, width=width, colour=colour))
    if drawn:
        yield from _said(CAPTION, width)
        yield from drawn


def _memory(tuning: Tuning) -> Iterator[str]:
    chosen = [p for p in frontier(tuning.predictions) if p.setting.num_workers]
    if not chosen:
        return
    yield "  What more speed costs"
    yield "    workers  prefetch      rate   /dev/shm    memory  descriptors"
    for guess in chosen:
        setting = guess.setting
        mark = " <" if alike(setting, tuning.choice.setting) else ""
        yield (
            f"    {setting.num_workers:>7}{setting.prefetch_factor or 0:>10}"
            f"{guess.samples_per_second:>10.0f}{human(guess.shm_bytes):>11}"
            f"{held(guess.lasting_bytes):>10}{guess.descriptors:>13}{mark}"
        )


def held(memory: int) -> str:
    """Memory of workers; ``?`` where none of them was ever seen."""
    return human(memory) if memory else "?"


def frontier(guesses: Sequence[Prediction]) -> list[Prediction]:
    """Settings for which no cheaper one is as fast, at most six."""
    found: list[Prediction] = []
    for guess in sorted(guesses, key=lambda g: (g.setting.queued, g.shm_bytes)):
        fastest = found[-1].samples_per_second if found else 0.0
        if guess.setting.in_order and guess.samples_per_second > 1.02 * fastest:
            found.append(guess)
    return found[-6:]


def _limits(tuning: Tuning, width: int) -> Iterator[str]:
    for reason in tuning.said:
        yield from _said(f"Limit: {reason}", width)
