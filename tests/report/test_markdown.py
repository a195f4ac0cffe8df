"""The report in a ticket: rendered by a real Markdown parser, and inert."""

import re

from markdown_it import MarkdownIt

from pipedoctor.report.markdown import escape_markdown, fence_code, render
from pipedoctor.report.model import Report

HEAD = """\
# pipedoctor: 1 finding breaks the job, 1 can crash it

Docker container, Debian 12. Examined 2026-01-01T00:00:00Z by pipedoctor 0.1.0.

| # | severity | finding | check |
|--:|---|---|---|
| 1 | breaks | /dev/shm has 64.0 MiB, the workers need 2.8 GiB | PDR701 shm-too-small |
| 2 | risks | 3 workers died (explained by PDR701) | PDR902 bus-error |

## 1. /dev/shm has 64.0 MiB, the workers need 2.8 GiB

breaks, certain; PDR701 shm-too-small

- shm.size: 64.0 MiB
- needed: 2.8 GiB

**Grow /dev/shm to 2.8 GiB** (on this machine, until the next reboot)

```sh
sudo mount -o remount,size=3019898880 /dev/shm
```

**Raise the limit for good** (where the job is launched, for good)

in /etc/x.conf:

```
[Service]
LimitNOFILE=65536
```

```
spec:
  containers: []
```

## 2. 3 workers died

risks, likely; PDR902 bus-error
(explained by PDR701: fix that one first)

- at train.py:12
- deaths: 3
"""


def test_a_report(ill: Report) -> None:
    text = render(ill)

    assert text.startswith(HEAD)
    assert "<summary>1 could not be judged</summary>" in text
    assert "<summary>1 not applicable</summary>" in text
    assert "- no GPU: PDR721 affinity\n" in text
    assert "PDR720" not in text
    assert "PDR703, PDR704\n" in text
    assert '"gpu": "no driver"' in text


def test_a_healthy_machine(well: Report) -> None:
    text = render(well)

    assert text.startswith("# pipedoctor: no problems found\n")
    assert "| # |" not in text
    assert "skipped" not in text


def test_nothing_in_it_is_obeyed(hostile: Report) -> None:
    text = render(hostile)
    html = MarkdownIt("commonmark").enable("table").render(text)
    outside = re.sub(r"<code.*?</code>", "", html, flags=re.DOTALL)

    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e\udcff]", text)
    assert "<script" not in html
    assert "<a " not in html
    assert "<em>z" not in html
    assert "@all" not in outside
    assert "#1" not in outside
    assert outside.count("<table>") == 1
    assert outside.count("<tr>") == 2, "a pipe in a cell makes no column or row"
    assert outside.count("<h2>") == 1
    assert html.count("<pre>") == 4, "no fence is closed from inside"


def test_plain() -> None:
    assert escape_markdown("a_b _c_ *d* `e` #1 @x <y> | http://z [l](m) ~s \\") == (
        r"a_b \_c\_ \*d\* \`e\` #<!-- -->1 @<!-- -->x &lt;y&gt; \| http&colon;//z"
        r" \[l\](m) \~s \\"
    )
    assert escape_markdown("- x & y") == r"\- x &amp; y"


def test_a_fence_is_longer_than_any_inside() -> None:
    assert fence_code("a ```` b", "sh") == "`````sh\na ```` b\n`````"
    assert fence_code("a\n") == "```\na\n```"


def test_a_record_is_named(hostile: Report) -> None:
    assert "by pipedoctor 0.1.0, from a record of a\\\\x1b" in render(hostile)
