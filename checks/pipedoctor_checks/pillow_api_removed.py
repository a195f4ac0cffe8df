"""PDR954: the code, or a library, uses a name that this Pillow no longer has."""

from pipedoctor.check import Findings, check
from pipedoctor.facts import Site
from pipedoctor.facts.log import Log
from pipedoctor.remedy import Place
from pipedoctor_checks._told import advise, told

_REMEDIES = (
    advise(
        "Update the library that uses the name",
        argv=("python", "-m", "pip", "install", "--upgrade", "torchvision"),
        place=Place.HERE,
    ),
    advise(
        "Or keep an older Pillow (<7 for PILLOW_VERSION)",
        argv=("python", "-m", "pip", "install", "pillow<10"),
        place=Place.HERE,
    ),
)


@check("PDR954", "The code uses names that Pillow removed")
def pillow_api_removed(log: Log, site: Site | None, /) -> Findings:
    """
    Find code that is older than the installed Pillow.

    ## Why it hurts

    Pillow removed `ANTIALIAS` and `getsize` in version 10 and `PILLOW_VERSION` in
    version 7.

    ## How it is judged

    Python misses the name in a module or an object of Pillow.

    ## Sources

    - https://pillow.readthedocs.io/en/stable/deprecations.html
    - https://github.com/xingyizhou/CenterNet/issues/695
    """
    yield from told(
        log,
        site,
        "pillow_api_removed",
        "The code, or a library, uses a name that this Pillow no longer has",
        *_REMEDIES,
    )
