"""What a user has to replace, the title says; what is his own, it does not."""

import pytest

from pipedoctor.check import Lasts, Remedy
from pipedoctor.check.placeholders import describe_hidden_names, mark_placeholders


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("apptainer exec --nv IMAGE.sif COMMAND", "`IMAGE.sif` and `COMMAND`"),
        ("kubectl rollout restart deployment/TRAIN", "`TRAIN`"),
        ("docker run -e GITHUB_TOKEN=YOUR_TOKEN", "`YOUR_TOKEN`"),
        ("export HTTPS_PROXY=http://PROXY:3128", "`PROXY`"),
        ("cp -r DATA $TMPDIR/", "`DATA`"),
        ("cp -r /srv/DATA/TRAIN /fast/DATA", ""),
        ("rm -- DATA-1.h5 TRAIN.csv.gz $PID", ""),
    ],
)
def test_what_is_to_be_replaced(line: str, names: str) -> None:
    note = f" (replace {names} with yours)" if names else ""
    for given in (
        Remedy(title="Do it", lasts=Lasts.ALWAYS, argv=tuple(line.split())),
        Remedy(title="Do it", lasts=Lasts.ALWAYS, snippet=line),
    ):
        put = mark_placeholders(given)
        assert (put.title, put.advice) == (f"Do it{note}", bool(names))
        assert (put.shell, put.snippet) == (given.shell, given.snippet)


def test_a_title_that_says_it_stays() -> None:
    told = Remedy(title="NODE is the one that failed", lasts=Lasts.ALWAYS, argv=("ssh", "NODE"))

    assert mark_placeholders(told) == told


def test_a_name_that_redaction_hides_is_to_be_put() -> None:
    line = "scp /scratch/<user-1>/a <host-2>:/scratch/<user-1>/a"
    given = Remedy(title="Copy it", lasts=Lasts.ALWAYS, argv=tuple(line.split()))

    put = mark_placeholders(given)

    assert put.title == "Copy it (put the real name for `<user-1>` and `<host-2>`)"
    assert (put.argv, put.advice) == (given.argv, False)
    assert mark_placeholders(put) == put


def test_what_only_looks_like_a_hidden_name_is_none() -> None:
    line = "sort <users-1.txt >user-1 && kill <PID>"

    assert describe_hidden_names(line) == ""
