"""Places that are one thing are accepted together: where a tensor is made, and where it moves."""

import pytest

from pipedoctor.engine.catalogue import get_catalogue
from pipedoctor.facts import Facts
from pipedoctor.suppress.comments import apply_comments
from tests.checks.code_samples import HEAD, read

CHECK = get_catalogue().find_check("cpu-create-then-move")
IGNORED = "  # pipedoctor: ignore[cpu-create-then-move]"
CODE = """
def train(loader, net, opt):
    for rows in loader:
        noise = torch.rand(8, 1){made}
        noise = noise.cuda(){moved}
        other = torch.ones(8, 1).cuda()
        net(rows.cuda(), noise, other).mean().backward()
        opt.step()
"""


def list_lines(made: str, moved: str) -> list[int]:
    """The lines that are left, counted from that which makes the tensor."""
    assert CHECK is not None
    facts = Facts(read(CODE.format(made=made, moved=moved)))
    (verdict,), unused = apply_comments(get_catalogue(), facts, [CHECK.run(facts)])
    assert not unused
    places = [one for f in verdict.findings for one in (f.location, *f.also_at) if one]
    first = CODE.split("\n").index("        noise = torch.rand(8, 1){made}")
    head = HEAD.count("\n")
    return sorted(one.line - head - first - 1 for one in places)


@pytest.mark.parametrize(
    ("made", "moved", "left"),
    [
        pytest.param("", "", [0, 1, 2], id="no comment"),
        pytest.param(IGNORED, "", [2], id="where it is made"),
        pytest.param("", IGNORED, [2], id="where it is moved"),
        pytest.param(IGNORED, IGNORED, [2], id="in both lines"),
    ],
)
def test_a_comment_in_one_line_accepts_both(made: str, moved: str, left: list[int]) -> None:
    assert list_lines(made, moved) == left
