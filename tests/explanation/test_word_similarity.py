"""Short logs of which no line is known: what their words are about, and no more."""

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pipedoctor.engine.packs import Pack
from pipedoctor.explanation import text, word_similarity
from pipedoctor.explanation.explain import explain
from pipedoctor.explanation.reasoning import Diagnosis
from pipedoctor.explanation.word_similarity import (
    USER_CODE_BUG,
    Vocabulary,
    find_similar_causes,
    load_vocabulary,
    tells_of_failure,
    weigh_words,
)
from pipedoctor.facts import Facts
from pipedoctor.log.read import BRIEF_BYTES, BRIEF_LINES
from pipedoctor.log.signatures import SignatureCatalogue

HEALTHY = (
    "Epoch 1 loss 0.31 acc 0.8\nEpoch 2 loss 0.21 acc 0.85\nSaving to out.pt\n",
    "Collecting torch\n  Downloading torch-2.1.0.whl\nInstalled torch-2.1.0\n",
    "make: *** No rule to make target 'train'.  Stop.\n",
    "error: pathspec 'main' did not match any file(s) known to git\n",
    "ssh: connect to host n4 port 22: Connection refused\n",
    "total 84\ndrwxr-xr-x 1 root root 4096 bin\ndrwxr-xr-x 5 root root 340 dev\n",
    "hello world\n",
)
ABOUT = {
    "cgroup_cpu_quota_ignored": "container quota, cgroup period, throttled: the threads"
    " of torch are as many as the host has cpus\n",
    "nvidia_uvm_state_broken": "lsmod | grep uvm\nls /dev/nvidia*\nnvidia0"
    " nvidiactl\nno uvm node after suspend; rmmod and modprobe\n",
    "thread_oversubscription": "OMP threads of each worker: 48, MKL threads 48,"
    " set_num_threads was not called, cores 48\n",
}
WORDS = ("quota", "throttled", "period", "cgroup")
SILENT = ABOUT["cgroup_cpu_quota_ignored"]


@pytest.mark.parametrize("cause", ABOUT)
def test_words_are_about_a_cause(cause: str, diagnosed: Callable[[str], Diagnosis]) -> None:
    found = diagnosed(ABOUT[cause]).causes

    assert found[0].cause == cause
    assert all(one.by_words and one.confidence.name == "POSSIBLE" for one in found)
    assert found[0].lines[0].text in ABOUT[cause]


@pytest.mark.parametrize("log", HEALTHY)
def test_what_is_about_nothing_of_ours_stays_without_a_cause(
    log: str, diagnosed: Callable[[str], Diagnosis]
) -> None:
    assert diagnosed(log).causes == ()


def test_what_was_raised_is_never_guessed(
    diagnosed: Callable[[str], Diagnosis],
) -> None:
    raised = "  File \"data.py\", line 3, in __getitem__\nKeyError: 'quota'\n"

    assert diagnosed(f"{SILENT}{raised}").causes == ()


@pytest.mark.parametrize("rest", ["step\n" * BRIEF_LINES, "x" * BRIEF_BYTES])
def test_a_long_log_is_never_guessed(rest: str, diagnosed: Callable[[str], Diagnosis]) -> None:
    assert diagnosed(f"{SILENT}{rest}\n").causes == ()


def test_every_cause_has_words(book: SignatureCatalogue) -> None:
    known = load_vocabulary()

    assert known.causes.keys() == book.failures.keys()
    assert all(its.keys() <= known.rarity.keys() for its in known.causes.values())


def test_three_words_may_be_chance() -> None:
    its: dict[str, int] = dict.fromkeys(WORDS, 1)
    known = Vocabulary(dict.fromkeys(its, 2.0), {"quota": its})

    assert find_similar_causes("quota throttled period", known) == []
    assert find_similar_causes("quota throttled period cgroup", known)[0].cause == "quota"


def test_common_words_say_nothing() -> None:
    its: dict[str, int] = dict.fromkeys(WORDS, 1)
    known = Vocabulary(dict.fromkeys(its, 1.0), {"quota": its})

    assert find_similar_causes("quota throttled period cgroup", known) == []


def test_what_is_most_like_an_error_in_code_has_no_cause() -> None:
    code: dict[str, int] = dict.fromkeys(WORDS, 1)
    its = {**code, "quota": 2}
    known = Vocabulary(dict.fromkeys(its, 2.0), {"quota": its, USER_CODE_BUG: code})

    assert find_similar_causes("quota throttled period cgroup", known) == []


def test_the_first_line_says_that_it_is_a_guess_and_how_to_decide() -> None:
    said = explain(io.BytesIO(SILENT.encode()), facts=lambda _: Facts())
    page = text.render(said)

    assert said.causes[0].by_words
    assert page.startswith("No known error line; the wording resembles cgroup-cpu-quota")
    assert "; to confirm: " in page.split("\n", 1)[0]
    assert "(possible, by wording only)" in page
    assert "Remedy if this is the cause:" in page


def test_words_of_few_causes_weigh_most_and_those_of_all_nothing() -> None:
    its = weigh_words({"the": 9, "cgroup": 1, "limit": 1}, {"the": 0.0, "cgroup": 2, "limit": 2})

    assert its == pytest.approx({"cgroup": 0.5**0.5, "limit": 0.5**0.5})


@pytest.mark.parametrize("content", ["{", '{"causes": {"quota": {"cgroup": 0}}}'])
def test_a_broken_vocabulary_says_nothing(
    content: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "strange_pack"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / word_similarity.VOCABULARY_FILE).write_text(content)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    pack = Pack("strange", "strange_pack")
    monkeypatch.setattr(word_similarity, "find_packs", lambda: (pack,))

    assert word_similarity.load_vocabulary.__wrapped__() == Vocabulary()


def test_what_lightning_prints_in_health_speaks_for_nothing() -> None:
    banner = (
        "GPU available: True (cuda), used: True\n"
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]\n"
        "TPU available: False, using: 0 TPU cores\n"
    )

    assert find_similar_causes(banner, load_vocabulary()) == []
    assert not tells_of_failure(banner)
