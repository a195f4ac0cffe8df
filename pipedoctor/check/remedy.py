"""Remedies are data: `fix` runs them, reports print them, nobody parses them."""

import enum
import re
import shlex
from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from pipedoctor.check.manifest import YamlNode, render_yaml
from pipedoctor.check.remedy_steps import is_step
from pipedoctor.facts.site import Launcher
from pipedoctor.lazy_pattern import compile_lazily
from pipedoctor.textsafe import HIDDEN
from pipedoctor.units import GiB

OWN_IDS = "$(id -u):$(id -g)"
"""User and group of who types a line."""
WORKING_FOLDER = "$PWD/"
"""What his shell replaces by the folder that he is in."""
_UNPRINTABLE = compile_lazily(f"[\x00-\x1f{HIDDEN}\udc80-\udcff]")


class Lasts(enum.Enum):
    """How long a remedy holds."""

    PROCESS = "until the process ends"
    BOOT = "until the next reboot"
    ALWAYS = "for good"


class Place(enum.Enum):
    """Where a remedy has to be applied."""

    HERE = "on this machine"
    LAUNCHER = "where the job is launched"
    CODE = "in the training script"


class Put(msgspec.Struct, frozen=True, kw_only=True):
    """A file that holds `content` afterwards; undo puts back what was there."""

    path: str
    content: str


class Edit(msgspec.Struct, frozen=True, kw_only=True):
    """
    A range of code and what stands there afterwards; all of a remedy or none.

    Lines and columns count from 1, columns in characters, the end is exclusive; an
    empty range inserts. Newlines of `replacement` become those of the file.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    cell: int = 0
    """In a notebook the number of the code cell, whose lines then count; else 0."""
    replacement: str


class Remedy(msgspec.Struct, frozen=True, kw_only=True):
    """
    One way to cure a finding; argument vectors, never shell strings.

    `argv` changes something and `undo` changes it back. `removes` are files that
    are garbage: they go for good, after the check has looked again. `snippet` is
    text for a manifest or a script. `fits` are the launchers with which this is the
    right remedy; none means everywhere. `advice` is never run, only printed.
    `edits` change code; `unsafe` says what they may change besides, `kept` why the
    code is better not changed by a program.
    """

    title: str
    lasts: Lasts
    argv: tuple[str, ...] = ()
    snippet: str = ""
    verify: tuple[str, ...] = ()
    place: Place = Place.HERE
    root: bool = False
    undo: tuple[str, ...] = ()
    puts: tuple[Put, ...] = ()
    removes: tuple[str, ...] = ()
    fits: tuple[Launcher, ...] = ()
    advice: bool = False
    edits: tuple[Edit, ...] = ()
    unsafe: str = ""
    kept: str = ""

    @property
    def automatic(self) -> bool:
        """Without a human we run only what happens here and can be undone."""
        reversible = bool(self.undo or self.puts or self.removes)
        return self.place is Place.HERE and reversible and not self.advice

    @property
    def shell(self) -> str:
        """The line a human would type."""
        argv = self.argv or (("rm", "-f", "--", *self.removes) if self.removes else ())
        return shell(("sudo", *argv) if self.root and argv else argv)


def shell(argv: Sequence[str]) -> str:
    """
    Write an argument vector as a line to paste into a shell.

    Control characters and bytes that are no UTF-8 become ``$'...'``, as bash and zsh read.
    """
    return " ".join(map(_quote_word, argv))


def _quote_word(word: str) -> str:
    if _UNPRINTABLE.search(word):
        safe = word.replace("\\", "\\\\").replace("'", r"\047")
        return f"$'{_UNPRINTABLE.sub(_escape_octal, safe)}'"
    if word == OWN_IDS:
        return f'"{word}"'
    bound = (f"--bind={WORKING_FOLDER}", '--bind="$PWD"/')
    for start, typed in ((WORKING_FOLDER, '"$PWD"/'), bound, ("~/", "~/")):
        if word.startswith(start) and word != start:
            quoted = shlex.quote(rest := word.removeprefix(start))
            return f'"{word}"' if quoted == rest and typed != start else f"{typed}{quoted}"
    return word if word in {"~", "~/"} else shlex.quote(word)


def _escape_octal(match: re.Match[str]) -> str:
    return "".join(f"\\{b:03o}" for b in match[0].encode(errors="surrogateescape"))


def select_remedies(launcher: Launcher | None, *remedies: Remedy) -> tuple[Remedy, ...]:
    """Keep those for this launcher; if it is unknown all, as advice, with theirs in the title."""
    if launcher is None or launcher is Launcher.UNKNOWN:
        return tuple(_label_place(remedy) for remedy in remedies)
    return tuple(r for r in remedies if not r.fits or launcher in r.fits or _fits_cell(r, launcher))


def _fits_cell(one: Remedy, launcher: Launcher) -> bool:
    """A notebook sets variables as a shell does."""
    typed = one.snippet.startswith(("export ", "unset ")) and Launcher.BARE in one.fits
    return typed and launcher is Launcher.HOSTED


def _label_place(remedy: Remedy) -> Remedy:
    if not remedy.fits:
        return remedy
    if is_step(remedy):  # it belongs to the one before, which is named
        return replace(remedy, advice=True)
    places = " or ".join(_LAUNCHER_NAMES[launcher] for launcher in remedy.fits)
    return replace(remedy, title=f"{places}: {remedy.title}", advice=True)


_LAUNCHER_NAMES = {
    Launcher.BARE: "Bare metal",
    Launcher.DOCKER: "Docker",
    Launcher.KUBERNETES: "Kubernetes",
    Launcher.SLURM: "Slurm",
    Launcher.HOSTED: "a hosted notebook",
}


def docker_run(title: str, *flags: str, engine: str = "docker") -> Remedy:
    """Start the container again with these flags; `engine` may be ``podman``."""
    return Remedy(
        title=title,
        argv=(engine, "run", *flags),
        lasts=Lasts.ALWAYS,
        place=Place.LAUNCHER,
        fits=(Launcher.DOCKER,),
    )


def compose(title: str, **keys: YamlNode) -> Remedy:
    """Set these keys of the service in compose.yaml; it is called ``train`` here."""
    return Remedy(
        title=title,
        snippet=render_yaml({"services": {"train": keys}}),
        lasts=Lasts.ALWAYS,
        place=Place.LAUNCHER,
        fits=(Launcher.DOCKER,),
    )


def kubernetes(title: str, container: Mapping[str, YamlNode], **pod: YamlNode) -> Remedy:
    """
    Merge these keys into a container and its pod: as a patch, and as YAML to read.

    The names ``TRAIN`` (deployment) and ``train`` (container) are the user's to
    replace. A Job or a bare Pod cannot be patched: create it again from the YAML.
    """
    spec: YamlNode = {"containers": [{"name": "train", **container}], **pod}
    patch: YamlNode = {"spec": {"template": {"spec": spec}}}
    line = msgspec.json.encode(patch).decode()
    return Remedy(
        title=title,
        argv=("kubectl", "patch", "deployment", "TRAIN", "--patch", line),
        snippet=render_yaml({"spec": spec}),
        lasts=Lasts.ALWAYS,
        place=Place.LAUNCHER,
        fits=(Launcher.KUBERNETES,),
    )


def slurm(title: str, *options: str) -> Remedy:
    """Submit with these options; the same lines for the head of the batch script."""
    return Remedy(
        title=title,
        argv=("sbatch", *options),
        snippet="\n".join(f"#SBATCH {option}" for option in options),
        lasts=Lasts.ALWAYS,
        place=Place.LAUNCHER,
        fits=(Launcher.SLURM,),
    )


def in_code(
    title: str,
    snippet: str = "",
    *,
    edits: Sequence[Edit] = (),
    unsafe: str = "",
    kept: str = "",
) -> Remedy:
    """Advice for the training script, and the edits that `fix --code` applies."""
    return Remedy(
        title=title,
        snippet=snippet,
        lasts=Lasts.ALWAYS,
        place=Place.CODE,
        advice=True,
        edits=tuple(edits),
        unsafe=unsafe if edits else "",
        kept=kept,
    )


def environment(title: str, **variables: str | int) -> tuple[Remedy, ...]:
    """Set environment variables for the job: how, in every place."""
    pairs = [f"{name}={value}" for name, value in variables.items()]
    export = Remedy(
        title=title,
        snippet=f"export {shlex.join(pairs)}",
        lasts=Lasts.PROCESS,
        place=Place.LAUNCHER,
        fits=(Launcher.BARE, Launcher.SLURM),
    )
    pods = Remedy(
        title=title,
        argv=("kubectl", "set", "env", "deployment/TRAIN", *pairs),
        lasts=Lasts.ALWAYS,
        place=Place.LAUNCHER,
        fits=(Launcher.KUBERNETES,),
    )
    flags = (flag for pair in pairs for flag in ("-e", pair))
    return (export, docker_run(title, *flags), pods)


def grant_cpus(title: str, cpus: int) -> tuple[Remedy, ...]:
    """Launch the container or the job with this many CPUs."""
    return _grant_resource(title, f"--cpus={cpus}", f"--cpus-per-task={cpus}", "cpu", f"{cpus}")


def grant_memory(title: str, size: int) -> tuple[Remedy, ...]:
    """Launch the container or the job with `size` bytes, rounded up to GiB."""
    whole = -(-size // GiB)
    return _grant_resource(title, f"--memory={whole}g", f"--mem={whole}G", "memory", f"{whole}Gi")


def _grant_resource(
    title: str, flag: str, option: str, resource: str, amount: str
) -> tuple[Remedy, ...]:
    limits: dict[str, YamlNode] = {"resources": {"limits": {resource: amount}}}
    launched = docker_run(title, flag), kubernetes(title, limits)
    return (*launched, slurm(title, option))


def unit_property(title: str, file: str, setting: str) -> tuple[Remedy, ...]:
    """
    Set a property of the systemd unit that owns this file of a control group.

    Below ``user@1000.service`` a systemd of the user owns it, which that of the machine
    does not know.
    """
    above, _, unit = file.rpartition("/")[0].rpartition("/")
    if not unit.endswith((".service", ".scope", ".slice")):
        return ()
    own = "/user@" in above
    return (
        Remedy(
            title=title,
            argv=("systemctl", *(["--user"] if own else []), "set-property", unit, setting),
            lasts=Lasts.ALWAYS,
            root=not own,
            fits=(Launcher.BARE,),
            advice=True,
        ),
    )
