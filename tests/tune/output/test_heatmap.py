"""The map of a tuning, in terminals of many widths and with or without colors."""

import re
from dataclasses import replace

import pytest
from msgspec import structs

from pipedoctor.facts import Setting, Trial
from pipedoctor.tune.output.heatmap import draw_heatmap, format_short_rate
from pipedoctor.tune.output.text import render
from pipedoctor.tune.search.limits import ResourceLimits
from pipedoctor.tune.search.tuning import Tuning
from tests.tune.scripted_search import done, search, tuning, waiting
from tests.tune.seen import setting

MANY = ResourceLimits(cpus=16.0, cpus_bound="machine", max_workers=64)
TRIED = (0, 1, 2, 3, 12, 24, 32, 48, 64)
WIDTHS = (60, 80, 100, 200)
NUMBERS = (*range(9), 10, 12, 14, 16, 20, 24, 32, 40, 48, 64)


def wide(best: Setting | None = None) -> Tuning:
    """So many measured columns that no narrow terminal has room for all at once."""
    found = search(waiting, setting(0), bounds=MANY)
    for workers in TRIED:
        found.measure(setting(workers), 1.0)
    found.measure(setting(24, 16), 1.0)
    shown = tuning(found)
    trial = found.ledger.find_trials(best or setting(64))[0]
    return chosen(shown, trial)


def chosen(shown: Tuning, trial: Trial) -> Tuning:
    choice = replace(shown.choice, setting=trial.setting, trial=trial)
    return replace(shown, choice=choice)


def columns(lines: list[str]) -> list[int]:
    heads = [line.split()[1:] for line in lines if "workers  " in line]
    return [int(word) for head in heads for word in head]


@pytest.mark.parametrize("width", WIDTHS)
def test_all_that_was_measured_is_shown_at_any_width(width: int) -> None:
    lines = list(draw_heatmap(wide(), width=width))
    said = "\n".join(lines)

    assert max(map(len, lines)) <= width
    assert set(TRIED) <= set(columns(lines))
    assert said.count("[") == len(TRIED) + 1
    assert len(re.findall(r"\[\d+\]\*", said)) == 1
    assert said.count("*") == 1


@pytest.mark.parametrize("width", WIDTHS)
def test_what_there_is_no_room_for_is_said_in_one_line(width: int) -> None:
    lines = list(draw_heatmap(wide(), width=width))
    shown = columns(lines)
    said = [line for line in lines if "not shown" in line]

    assert shown == sorted(shown)
    assert len(said) == (len(shown) < len(NUMBERS))
    left = sorted(set(NUMBERS) - set(shown))
    if said and "columns" in said[0]:
        assert said[0] == f"    not shown: {len(left)} columns"
    elif said:
        assert f" {', '.join(map(str, left))} workers; see --html" in said[0]
    assert (width == 200) == (not left)


def test_what_is_recommended_is_shown_although_it_was_not_measured() -> None:
    shown = wide()
    choice = replace(shown.choice, setting=setting(20), trial=None)
    lines = list(draw_heatmap(replace(shown, choice=choice), width=60))

    assert 20 in columns(lines)
    assert "\n".join(lines).count("*") == 1


def test_neighbours_of_what_is_recommended_take_the_room_that_is_left() -> None:
    lines = list(draw_heatmap(wide(setting(12)), width=100 + 9))

    assert columns(lines) == [0, 1, 2, 3, 10, 12, 24, 32, 48, 64]


def test_rows_are_all_that_was_predicted_or_measured() -> None:
    found = search(waiting, setting(2, 5))
    found.run()
    found.measure(setting(4, 32), 1.0)
    lines = list(draw_heatmap(tuning(found), width=100))

    assert [line.split()[0] for line in lines] == [
        *("workers", "none", "2", "4", "5", "8", "32"),
    ]
    assert re.search(r"^    32  +\[\d+\]$", lines[-1])


def test_numbers_stand_below_their_column() -> None:
    head, alone, *_ = draw_heatmap(done(), width=100)

    assert alone.index("]") == head.index("0") + 1


def test_an_order_that_was_measured_has_a_map_of_its_own() -> None:
    found = search(waiting)
    found.runner.items = ((0.001, 0.001),) * 97 + ((0.06, 0.001),) * 3
    found.run()
    shown = tuning(found)
    assert "in_order=False" not in "\n".join(draw_heatmap(shown, width=100))

    loose = setting(4, in_order=False)
    found.measure(loose, 1.0)
    lines = list(draw_heatmap(chosen(tuning(found), waiting(loose)), width=100))
    begin = lines.index("    with in_order=False")

    assert not any("*" in line for line in lines[:begin])
    assert sum(line.count("]*") for line in lines[begin:]) == 1


def test_one_setting_is_no_map() -> None:
    found = search(waiting, bounds=replace(MANY, max_workers=0))
    found.run()

    assert list(draw_heatmap(tuning(found), width=100)) == []


ESCAPE = re.compile(r"\x1b\[[\d;]*m")


def test_colors_shade_and_change_nothing_else() -> None:
    shown = wide()
    plain = list(draw_heatmap(shown, width=80))
    legend, *shaded = draw_heatmap(shown, width=80, color=True)

    assert [ESCAPE.sub("", line).rstrip() for line in shaded] == plain
    assert "\x1b" not in "".join(plain)
    said = ESCAPE.sub("", legend).split()
    assert said == ["at", "least", "95%", "80%", "60%", "40%", "of", "the", "fastest"]
    best = next(line for line in shaded if "*" in line)
    assert re.search(r"\x1b\[30;43m\[\d+\]\x1b\[0m\*", best)
    assert all(line.count("\x1b[0m") * 2 == line.count("\x1b") for line in shaded)
    slowest = next(line for line in shaded if "none" in line)
    assert "\x1b" not in slowest


def test_the_text_has_it_with_its_caption() -> None:
    plain = render(wide(), width=60)

    assert "* recommended" in plain
    assert "\x1b" not in plain
    assert "\x1b[30;43m" in render(wide(), width=60, color=True)


@pytest.mark.parametrize(
    ("best", "rate", "said"),
    [
        (3.2, 0.5, "0.50"),
        (9.96, 9.96, "10.0"),
        (25.0, 3.21, "3.2"),
        (99.7, 99.7, "100"),
        (970.0, 121.2, "121"),
        (9_999.4, 12.3, "12"),
        (12_345.0, 970.0, "1.0k"),
        (99_600.0, 99_600.0, "100k"),
        (9_900_000.0, 1_000_000.0, "1000k"),
        (12_345_678.0, 1_000_000.0, "1.0M"),
    ],
)
def test_numbers_are_short(best: float, rate: float, said: str) -> None:
    assert format_short_rate(rate, best) == said
    assert len(said) <= 5


def test_what_no_limit_allows_but_was_measured_is_on_the_map() -> None:
    found = search(waiting, setting(8), bounds=replace(MANY, shm=802_816 * 7))
    found.measure(setting(0), 1.0)
    found.measure(setting(8), 1.0)
    shown = tuning(found)
    assert all(guess.setting.num_workers < 8 for guess in shown.predictions)

    assert 8 in columns(list(draw_heatmap(shown, width=60)))


def test_trials_of_one_order_are_not_on_the_map_of_the_other() -> None:
    found = search(waiting)
    found.run()
    loose = structs.replace(setting(7), in_order=False)
    found.measure(loose, 1.0)
    head, *rows = draw_heatmap(tuning(found), width=200)

    assert head.split()[1:] == [str(number) for number in range(9)]
    assert sum(row.count("[") for row in rows) == len(found.ledger.list_settings())
