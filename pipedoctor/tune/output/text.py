"""A tuning for people: the line to paste, why, the map, the price of memory."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from pipedoctor.facts import Setting
from pipedoctor.report.sentences import clean_text
from pipedoctor.tune.model.predict import Prediction, is_same_load
from pipedoctor.tune.model.startup import estimate_first_batch
from pipedoctor.tune.output.heatmap import CAPTION, draw_heatmap
from pipedoctor.tune.output.json import compute_stage_seconds
from pipedoctor.tune.search.tuning import Tuning
from pipedoctor.units import format_count, format_size

_STAGE_NAMES = ("read", "decode", "transform", "collate", "transfer")


def render(tuning: Tuning, *, width: int = 100, color: bool = False) -> str:
    """Everything in so many columns; `color` shades the map."""
    blocks = [
        "\n".join(_render_answer(tuning, width)),
        "\n".join(_render_stages(tuning)),
        "\n".join(_render_map(tuning, width, color=color)),
        "\n".join(_render_frontier(tuning)),
        "\n".join(_render_limits(tuning, width)),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def format_loader_line(setting: Setting, *, has_own_batches: bool = False) -> str:
    """
    ``DataLoader(dataset, batch_size=32, num_workers=4, prefetch_factor=2, ...)``.

    `own_batches`: a `batch_sampler` of the user makes them; torch takes no size then.
    """
    arguments = [f"num_workers={setting.num_workers}"]
    if setting.batch_size and not has_own_batches:
        arguments.insert(0, f"batch_size={setting.batch_size}")
    if setting.num_workers:
        arguments.append(f"prefetch_factor={setting.prefetch_factor or 2}")
    if not setting.in_order:
        arguments.append("in_order=False")
    if setting.persistent_workers:
        arguments.append("persistent_workers=True")
    if setting.pin_memory:
        arguments.append("pin_memory=True")
    return f"DataLoader(dataset, {', '.join(arguments)}, ...)"


def format_recommended(tuning: Tuning) -> str:
    """The line to paste."""
    return format_loader_line(tuning.choice.setting, has_own_batches=tuning.has_own_batches)


def format_rate(value: float) -> str:
    """``1,234 samples/s`` with three figures that mean something."""
    number = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"  # noqa: PLR2004
    return f"{number} samples/s"


def _render_answer(tuning: Tuning, width: int) -> Iterator[str]:
    yield clean_text(tuning.request.target)
    yield ""
    yield f"  {format_recommended(tuning)}"
    yield ""
    if tuning.interrupted:
        yield "  interrupted: results so far"
    if tuning.undecided_reason:
        yield from _wrap_sentence(f"inconclusive: {tuning.undecided_reason}", width)
    answer = describe_answer(tuning)
    yield from _wrap_sentence(f"{answer}." if answer else "", width)
    yield from _wrap_sentence(describe_gain(tuning), width)
    yield from _wrap_sentence(describe_waits(tuning), width)
    why = f"Bottleneck: {tuning.bottleneck.name}: {tuning.bottleneck.reason}."
    yield from _wrap_sentence(why, width)
    yield from _wrap_sentence(describe_confidence(tuning), width)


def describe_answer(tuning: Tuning) -> str:
    """``1.90 times as fast as now: measured 812 samples/s ± 3%``, without its full stop."""
    choice = tuning.choice
    if is_same_load(choice.setting, tuning.pipeline.start):
        same = choice.setting == tuning.pipeline.start
        what = "Keep the current setting"
        what = what if same else "Same throughput, but each epoch starts sooner"
        return f"{what}: {_describe_speed(tuning)}"
    return (
        f"{choice.gain:.2f} times as fast as now: {_describe_speed(tuning)}" if choice.gain else ""
    )


def describe_confidence(tuning: Tuning) -> str:
    """How sure the answer is, and what it rests on."""
    return f"Confidence: {tuning.choice.confidence}; {describe_windows(tuning)}."


def _wrap_sentence(text: str, width: int) -> list[str]:
    return wrap(
        clean_text(text),
        max(30, width - 4),
        initial_indent="  ",
        subsequent_indent="  ",
        break_long_words=False,
    )


def _describe_speed(tuning: Tuning) -> str:
    trial, start = tuning.choice.trial, tuning.choice.start_trial
    if trial is None or start is None:
        return "nothing was measured"
    error = 1.65 * (trial.spread or 0.03)
    text = f"measured {format_rate(trial.samples_per_second)} ± {error:.0%}"
    if not is_same_load(trial.setting, start.setting):
        text += f" against {format_rate(start.samples_per_second)}"
    return text


def describe_windows(tuning: Tuning) -> str:
    """``12 s spent, 9 windows measured, 2 of them disturbed by other processes``."""
    trials = tuning.ledger.trials
    text = f"{tuning.spent_seconds:.0f} s spent, {format_count(len(trials), 'window')} measured"
    marked = sum(bool(trial.disturbance) for trial in trials)
    return f"{text}, {marked} of them disturbed by other processes" if marked else text


def describe_gain(tuning: Tuning) -> str:
    """The gain that was predicted and the one that was measured, in a sentence."""
    found, gain = (
        tuning.first_predictions.find(tuning.choice.setting),
        tuning.choice.gain,
    )
    if (
        found is None
        or gain is None
        or is_same_load(found.prediction.setting, tuning.pipeline.start)
    ):
        return ""
    low, high = found.gain_interval
    between = f"{low:.2f} to {high:.2f}"
    return f"Gain: predicted {found.gain:.2f} ({between}), measured {gain:.2f}."


def describe_waits(tuning: Tuning) -> str:
    """What the consumer waits for each batch and for the first one, in a sentence."""
    trial, start = tuning.choice.trial, tuning.choice.start_trial
    if trial is None or start is None:
        return ""
    each, now = (f"{1e3 * t.wait_seconds:.3g} ms" for t in (trial, start))
    first, before = (
        f"{estimate_first_batch(tuning.pipeline, t.setting.num_workers):.2f} s"
        for t in (trial, start)
    )
    if not is_same_load(trial.setting, start.setting):
        each, first = f"{each} (now {now})", f"{first} (now {before})"
    return f"The consumer waits {each} for each batch, {first} for the first batch."


def _render_stages(tuning: Tuning) -> Iterator[str]:
    seconds = compute_stage_seconds(tuning)
    if not seconds:
        return
    total = sum(seconds.values()) or 1.0
    yield "  Time per sample by stage, in one process"
    for name in _STAGE_NAMES:
        share = seconds[name] / total
        bar = "#" * round(24 * share)
        yield f"    {name:<10}{seconds[name] * 1e3:9.3f} ms  {share:4.0%}  {bar}".rstrip()


def _render_map(tuning: Tuning, width: int, *, color: bool) -> Iterator[str]:
    drawn = list(draw_heatmap(tuning, width=width, color=color))
    if drawn:
        yield from _wrap_sentence(CAPTION, width)
        yield from drawn


def _render_frontier(tuning: Tuning) -> Iterator[str]:
    chosen = [p for p in find_frontier(tuning.predictions) if p.setting.num_workers]
    if not chosen:
        return
    yield "  Cost of higher throughput"
    yield "    workers  prefetch      rate   /dev/shm    memory  descriptors"
    for guess in chosen:
        setting = guess.setting
        mark = " <" if is_same_load(setting, tuning.choice.setting) else ""
        yield (
            f"    {setting.num_workers:>7}{setting.prefetch_factor or 0:>10}"
            f"{guess.samples_per_second:>10.0f}{format_size(guess.shm_bytes):>11}"
            f"{format_memory(guess.final_memory_bytes):>10}{guess.descriptors:>13}{mark}"
        )


def format_memory(memory: int) -> str:
    """Memory of workers; ``?`` where none of them was ever seen."""
    return format_size(memory) if memory else "?"


def find_frontier(guesses: Sequence[Prediction]) -> list[Prediction]:
    """Settings for which no cheaper one is as fast, at most six."""
    frontier: list[Prediction] = []
    for guess in sorted(guesses, key=lambda g: (g.setting.queued_batches, g.shm_bytes)):
        fastest = frontier[-1].samples_per_second if frontier else 0.0
        if guess.setting.in_order and guess.samples_per_second > 1.02 * fastest:
            frontier.append(guess)
    return frontier[-6:]


def _render_limits(tuning: Tuning, width: int) -> Iterator[str]:
    for reason in tuning.remarks:
        yield from _wrap_sentence(f"Limit: {reason}", width)
