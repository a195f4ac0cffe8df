"""Diagnose PyTorch data-loading pipelines and the machine under them."""

from pipedoctor.version import __version__

TYPE_CHECKING = False  # typing is not worth its import before Ctrl-C is seen to
if TYPE_CHECKING:
    from pipedoctor.explanation.model import Explanation

__all__ = ["__version__", "explain", "install"]


def explain(error: BaseException | str) -> "Explanation":
    """
    Name the cause of an exception, or in the text of a log, as `pipedoctor explain`.

    Looks at this machine as far as the cause asks for it; nothing is redacted.
    """
    from io import BytesIO  # noqa: PLC0415  (importing pipedoctor stays light)

    from pipedoctor.explanation.explain import explain as explained  # noqa: PLC0415

    if isinstance(error, BaseException):
        from pipedoctor.explanation.hook import format_traceback  # noqa: PLC0415

        error = format_traceback(error)
    return explained(BytesIO(error.encode(errors="replace")))


def install() -> None:
    """
    Print three lines of explanation under every traceback that nobody catches.

    In IPython and Jupyter under every traceback that is shown. The traceback comes
    first and as always; whatever goes wrong afterwards is not heard of.
    """
    from pipedoctor.explanation.hook import install as installed  # noqa: PLC0415

    installed()
