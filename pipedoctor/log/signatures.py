"""Signatures of illnesses in logs: data of a pack, a file an illness."""

import enum
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from pipedoctor.log.figures import FigureComparison

_MATCH_NOTHING = re.compile(r"(?!)")


class SignatureRole(enum.Enum):
    """What a line of this kind means for the one who reads it."""

    ERROR = "error"
    """It ends the job, or would."""
    WARNING = "warning"
    """It is printed by jobs that live on: it yields to what ended the job."""
    SILENT = "silent"
    """A reading or an observation: counts where nothing was raised."""
    ECHO = "echo"
    """What others say when somebody else has died."""
    EVIDENCE = "evidence"
    """Says nothing alone; supports its cause, and other signatures ask for it."""


class Ratio(msgspec.Struct, frozen=True):
    """Two captured numbers, the first at least `least` times the second."""

    part: str
    whole: str
    least: float


class Signature(msgspec.Struct, frozen=True, kw_only=True):
    """
    What one line looks like.

    `words` is the sieve: one of them stands in every line that can match, in small
    letters, between characters that are none; digits do not count as characters.
    Groups of `pattern` capture values; ``name1`` and ``name2`` are other places where
    ``name`` may stand. `when` and `unless` name signatures (``cause/id``) that must, or
    must not, be seen in the same log. With `alike`, lines that differ only in ``key`` share their
    ``tail``; with `rising`, the captured numbers rise; with `series`, the captured
    number rises from line to line. The last three look at other lines of the log, and
    quote them: `compare` lays figures beside each other; in a short log, `column` is
    the header whose captured ``column`` climbs, and with `repeated` rows of numbers
    come again.
    """

    id: str
    pattern: str
    words: tuple[str, ...]
    strength: int
    """How sure it makes its cause, of 100."""
    role: SignatureRole = SignatureRole.ERROR
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    versions: str = ""
    """Whose texts these are: ``torch >= 2.10``; empty: all that are known."""
    ratio: Ratio | None = None
    alike: bool = False
    rising: bool = False
    series: bool = False
    compare: FigureComparison | None = None
    column: bool = False
    repeated: bool = False
    passing: bool = False
    """Is it nothing where the job goes on behind it, though jobs live on with it?"""
    hint: str = ""
    """What to look at, where the code is to blame."""


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """A remedy for an illness that no check can judge yet."""

    title: str
    argv: tuple[str, ...] = ()
    snippet: str = ""
    fits: tuple[str, ...] = ()
    """Launchers: ``docker``; none means everywhere."""
    place: str = "here"
    when: tuple[str, ...] = ()
    """Signatures (``id``) of this cause, of which one must be seen in the log."""
    unless: tuple[str, ...] = ()
    """Signatures of this cause that must not be seen."""
    torch: str = ""
    """Pattern of the torch of the log, with its build: only for those that match it whole."""
    leads: bool = False
    """Does it come before those of the check: does it take more from the log?"""
    alone: bool = False
    """With `leads`: do those of the check not fit what the log shows?"""
    system: Literal["", "windows", "posix", "macos"] = ""
    """Only for logs of this system, where they tell; ``posix``: of Linux."""


class VersionRange(msgspec.Struct, frozen=True, kw_only=True):
    """Versions of a package, under any of its names, in which an illness is so."""

    packages: tuple[str, ...]
    since: str = ""
    before: str = ""
    well_from: str = ""
    """Between `before` and this nobody is sure."""
    names: tuple[str, ...] = ()
    """Only where a signature captured one of these as ``name``."""


class FailureMode(msgspec.Struct, frozen=True, kw_only=True):
    """
    A failure mode.

    A cause, its signatures in logs, and how it is judged on a machine.
    """

    cause: str
    why: str = ""
    """One sentence: what happened."""
    decide: tuple[str, ...] = ()
    """The cheapest command that would decide whether it is so."""
    over: tuple[str, ...] = ()
    """Causes that are its consequences where both are seen."""
    akin: str = ""
    """
    Pattern of exceptions that may follow from it.

    A warning of it yields to all others, and not to these.
    """
    survivable: bool = False
    """May a job catch it, and lose no more than a sample or a try? Work behind it says so."""
    judged_by: str = ""
    """Name of the check that judges it here, where that has another name."""
    judged_if: tuple[str, ...] = ()
    """Words: of all that this check finds, what has one of them is this illness."""
    partly: bool = False
    """That check knows one reason of several: if it finds nothing, nothing is said."""
    only: Literal["", "windows", "wsl"] = ""
    """The one kind of system on which it can be so."""
    installed: tuple[VersionRange, ...] = ()
    """Where no check judges it: it is so in these versions, and in no others."""
    ill: dict[str, dict[str, Any]] = {}
    """
    Facts of an example of an ill machine, by section: its check knows the cure.

    ``{name}`` is what a signature captured, ``{name|else}`` where nothing needs to be.
    """
    ill_at: dict[str, dict[str, dict[str, Any]]] = {}
    """What else is so on it in this place: ``bare``, ``docker`` ..."""
    ill_if: dict[str, dict[str, dict[str, Any]]] = {}
    """What else is so where this signature (``id``) of the cause was seen."""
    usual_place: Literal["", "docker"] = ""
    """Where it happens nearly always, for logs that do not say where they are from."""
    cured_by: dict[str, str] = {}
    """Name of the check that knows the cure where this signature (``id``) was seen."""
    ill_settings: dict[str, Any] = {}
    """With which thresholds its check looks at that example."""
    remedies: tuple[Advice, ...] = ()
    """Only where no check knows one."""
    sources: tuple[str, ...] = ()
    signatures: tuple[Signature, ...]

    @property
    def name(self) -> str:
        """The name of its check and page: ``shm-too-small``."""
        return self.cause.replace("_", "-")


class RejectedSignature(msgspec.Struct, frozen=True):
    """A signature, or a file of signatures, that cannot be used, and why."""

    name: str
    reason: str


class SignatureRule:
    """A signature with the cause that it belongs to, compiled when first needed."""

    def __init__(self, cause: str, signature: Signature) -> None:
        self.key = f"{cause}/{signature.id}"
        self.cause = cause
        self.signature = signature
        self.fault = ""
        """Why its pattern is none; empty as long as nobody needed it."""

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The compiled pattern; one that is none matches nothing."""
        try:
            return re.compile(self.signature.pattern)
        except re.error as error:
            self.fault = f"not a pattern: {error}"
            return _MATCH_NOTHING


class SignatureCatalogue:
    """All failure modes, and their signatures by the words that select them."""

    def __init__(
        self,
        failures: Iterable[FailureMode],
        rejections: Iterable[RejectedSignature] = (),
    ) -> None:
        self._spoilt = tuple(rejections)
        self.failures: Mapping[str, FailureMode] = {i.cause: i for i in failures}
        self.rules: dict[str, SignatureRule] = {}
        self._by_word: dict[str, list[SignatureRule]] = {}
        for failure in self.failures.values():
            for signature in failure.signatures:
                rule = SignatureRule(failure.cause, signature)
                self.rules[rule.key] = rule
                for word in dict.fromkeys(signature.words):
                    self._by_word.setdefault(word, []).append(rule)

    @property
    def words(self) -> frozenset[str]:
        """Every word that may give a signature away."""
        return frozenset(self._by_word)

    @property
    def unusable(self) -> tuple[RejectedSignature, ...]:
        """Signatures that could not be used, among those that were tried."""
        faulty = (RejectedSignature(r.key, r.fault) for r in self.rules.values() if r.fault)
        return (*self._spoilt, *faulty)

    def find_candidates(self, words: Iterable[str]) -> Iterator[SignatureRule]:
        """The rules that one of these words may give away, each once."""
        seen: set[str] = set()
        for word in words:
            for rule in self._by_word.get(word, ()):
                if rule.key not in seen:
                    seen.add(rule.key)
                    yield rule


def read_failure_modes(folder: Path) -> Iterator[FailureMode | RejectedSignature]:
    """Every illness of a pack; of a file that is unreadable or malformed, why."""
    decoder = msgspec.json.Decoder(FailureMode)
    for file in sorted(folder.glob("*.json")):
        yield _read_file(file, decoder)


def _read_file(
    file: Path, decoder: msgspec.json.Decoder[FailureMode]
) -> FailureMode | RejectedSignature:
    try:
        return decoder.decode(file.read_bytes())
    except (OSError, msgspec.MsgspecError, UnicodeError) as error:
        return RejectedSignature(str(file), str(error))
