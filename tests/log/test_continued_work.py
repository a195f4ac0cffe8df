"""Where work goes on past a failure, and where it does not."""

import pytest

from pipedoctor.log.continued_work import find_work_spans

RANKS = "[rank0]: step 1 loss 2\n[rank1]: step 1 loss 2\n[rank0]: step 2 loss 2\n"
GOES_ON = {
    "steps": ("step 1 loss 2\nstep 2 loss 2\nstep 3 loss 2\n", 1, 2),
    "the last of all": ("10/30\nbroken\n30/30\n", 1, 3),
    "epochs, then steps": ("epoch 1 step 90: 0.2\nepoch 2 step 10: 0.2\n", 1, 1),
    "a bar in one row": ("\r 1%|# | 1/9\r 2%|# | 2/9\nbad\n 3%|## | 3/9\n 4%|## | 4/9\n", 1, 3),
    "times are no counts": ("09:00:01 step 1 ok\n09:00:02 step 2 ok\n", 1, 1),
    "a summary behind it": ("1/4 ok\n2/4 ok\n3/4 ok\nconverted 3, skipped 1\n", 1, 2),
}
STOPS = {
    "it starts again": "step 8 loss 2\nrestarting\nstep 1 loss 2\n",
    "one row": "step 8 loss 2\n",
    "a failure behind it": "step 1 loss 2\nstep 2 loss 2\nKilled\n",
    "it waits": "waiting for batch 7 (60 s)\nwaiting for batch 7 (120 s)\n",
    "a part of an address": "http://n1:29500/1\nhttp://n1:29501/2\n",
    "other words": "step 1 loss 2\nbatch 2 of 9\n",
}


@pytest.mark.parametrize(("text", "first", "last"), GOES_ON.values(), ids=GOES_ON)
def test_the_same_rows_with_rising_numbers_go_on(text: str, first: int, last: int) -> None:
    (span,) = find_work_spans(text.encode(), text.count("\n"))

    assert (span.first, span.last, span.rank) == (first, last, "")


@pytest.mark.parametrize("text", STOPS.values(), ids=STOPS)
def test_other_rows_do_not(text: str) -> None:
    assert find_work_spans(text.encode(), text.count("\n")) == ()


def test_each_rank_goes_on_for_itself() -> None:
    (span,) = find_work_spans(RANKS.encode(), 3)

    assert (span.rank, span.first, span.last) == ("0", 1, 1)


def test_work_that_begins_before_the_end_of_a_log_has_no_first_line() -> None:
    text = "step 7 loss 2\nstep 8 loss 2\n"

    assert [span.first for span in find_work_spans(text.encode(), 900)] == [0]
