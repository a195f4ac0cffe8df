"""Signatures of illnesses in logs: data of a pack, a file an illness."""

import enum
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from pipedoctor.log.figures import Comparison

_NEVER = re.compile(r"(?!)")


class Role(enum.Enum):
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
    `when` and `unless` name signatures (``cause/id``) that must, or must not, be
    seen in the same log. With `alike`, lines that differ only in ``key`` share their
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
    role: Role = Role.ERROR
    when: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    versions: str = ""
    """Whose texts these are: ``torch >= 2.10``; empty: all that are known."""
    ratio: Ratio | None = None
    alike: bool = False
    rising: bool = False
    series: bool = False
    compare: Comparison | None = None
    column: bool = False
    repeated: bool = False
    hint: str = ""
    """What to look at, where the code is to blame."""


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """A remedy for an illness that no check can judge yet."""

    title: str
    argv: tuple[str, ...] = ()
    snippet: str = ""
    fits: tuple[str, ...] = ()
    """Habitats: ``docker``; none means everywhere."""
    place: str = "here"


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """Versions of a package, under any of its names, in which an illness is so."""

    packages: tuple[str, ...]
    since: str = ""
    before: str = ""
    well_from: str = ""
    """Between `before` and this nobody is sure."""
    names: tuple[str, ...] = ()
    """Only where a signature captured one of these as ``name``."""


class Illness(msgspec.Struct, frozen=True, kw_only=True):
    """A cause, and how it shows."""

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
    judged_by: str = ""
    """Name of the check that judges it here, where that has another name."""
    judged_if: tuple[str, ...] = ()
    """Words: of all that this check finds, what has one of them is this illness."""
    partly: bool = False
    """That check knows one reason of several: if it finds nothing, nothing is said."""
    only: Literal["", "windows", "wsl"] = ""
    """The one kind of system on which it can be so."""
    installed: tuple[Span, ...] = ()
    """Where no check judges it: it is so in these versions, and in no others."""
    ill: dict[str, dict[str, Any]] = {}
    """
    Facts of an example of an ill machine, by section: its check knows the cure.

    ``{name}`` is what a signature captured, ``{name|else}`` where nothing needs to be.
    """
    ill_at: dict[str, dict[str, dict[str, Any]]] = {}
    """What else is so on it in this place: ``bare``, ``docker`` ..."""
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


class Spoilt(msgspec.Struct, frozen=True):
    """What could not be used, a file or one signature, and why."""

    name: str
    reason: str


class Rule:
    """A signature with the cause that it belongs to, compiled when first needed."""

    def __init__(self, cause: str, signature: Signature) -> None:
        self.key = f"{cause}/{signature.id}"
        self.cause = cause
        self.signature = signature
        self.fault = ""
        """Why its pattern is none; empty as long as nobody needed it."""

    @cached_property
    def search(self) -> re.Pattern[str]:
        """The compiled pattern; one that is none matches nothing."""
        try:
            return re.compile(self.signature.pattern)
        except re.error as error:
            self.fault = f"not a pattern: {error}"
            return _NEVER


class Book:
    """All illnesses, and their signatures by the words that give them away."""

    def __init__(
        self, illnesses: Iterable[Illness], spoilt: Iterable[Spoilt] = ()
    ) -> None:
        self._spoilt = tuple(spoilt)
        self.illnesses: Mapping[str, Illness] = {i.cause: i for i in illnesses}
        self.rules: dict[str, Rule] = {}
        self._by_word: dict[str, list[Rule]] = {}
        for illness in self.illnesses.values():
            for signature in illness.signatures:
                rule = Rule(illness.cause, signature)
                self.rules[rule.key] = rule
                for word in dict.fromkeys(signature.words):
                    self._by_word.setdefault(word, []).append(rule)

    @property
    def words(self) -> frozenset[str]:
        """Every word that may give a signature away."""
        return frozenset(self._by_word)

    @property
    def spoilt(self) -> tuple[Spoilt, ...]:
        """What could not be used, as far as anybody tried."""
        faulty = (Spoilt(r.key, r.fault) for r in self.rules.values() if r.fault)
        return (*self._spoilt, *faulty)

    def candidates(self, words: Iterable[str]) -> Iterator[Rule]:
        """The rules that one of these words may give away, each once."""
        seen: set[str] = set()
        for word in words:
            for rule in self._by_word.get(word, ()):
                if rule.key not in seen:
                    seen.add(rule.key)
                    yield rule


def read(folder: Path) -> Iterator[Illness | Spoilt]:
    """Every illness of a pack; of a file that is unreadable or malformed, why."""
    decoder = msgspec.json.Decoder(Illness)
    for file in sorted(folder.glob("*.json")):
        yield _one(file, decoder)


def _one(file: Path, decoder: msgspec.json.Decoder[Illness]) -> Illness | Spoilt:
    try:
        return decoder.decode(file.read_bytes())
    except (OSError, msgspec.MsgspecError, UnicodeError) as error:
        return Spoilt(str(file), str(error))
