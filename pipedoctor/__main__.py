"""
`python -m pipedoctor` is `pipedoctor`.

Python puts the working directory before everything else here, where a ``click.py`` of the
project that is looked at would be run. The program itself is imported from elsewhere.
"""

import os
import sys


def _drop_working_directory() -> None:
    try:
        here = os.getcwd()  # noqa: PTH109  (pathlib is what a project may have put there)
    except OSError:
        return  # it was removed
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    if sys.path[:1] == [here] and here != home:
        del sys.path[0]


if __name__ == "__main__":
    _drop_working_directory()
    from pipedoctor.cli import main

    main(prog_name="pipedoctor")
