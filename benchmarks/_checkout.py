"""One commit of a repository, out of its git directory, as a folder that can be checked."""

import subprocess
from pathlib import Path

READ = (".py", ".ipynb", ".toml", ".cfg", ".txt", ".yaml", ".yml", ".json", "README.md")
"""Ends of the names of files that tell anything of code: data and pictures are left out."""
LARGEST = 2_000_000


def find_git_directory(folder: Path, repository: str) -> Path | None:
    """Where the objects of ``owner/name`` lie below a folder, in any of the usual layouts."""
    owner, _, name = repository.partition("/")
    for place in (f"{owner}+{name}/repo", f"{owner}/{name}", f"{name}.git", name):
        for inner in (".git", "."):
            found = folder / place / inner
            if (found / "objects").is_dir():
                return found
    return None


def check_out(git_directory: Path, commit: str, into: Path) -> None:
    """Write the files of a commit that can be read; what the directory lacks is left out."""
    git = ("git", "--git-dir", str(git_directory))
    tree = subprocess.run((*git, "ls-tree", "-rz", commit), capture_output=True, check=True).stdout
    wanted: list[tuple[bytes, str]] = []
    for entry in tree.split(b"\0"):
        about, _, path = entry.partition(b"\t")
        mode, _, rest = about.partition(b" ")
        if mode in {b"100644", b"100755"} and path.endswith(tuple(end.encode() for end in READ)):
            wanted.append((rest.split()[-1], path.decode(errors="surrogateescape")))
    names = b"".join(blob + b"\n" for blob, _ in wanted)
    batch = (*git, "cat-file", "--batch")
    content = subprocess.run(batch, input=names, capture_output=True, check=True).stdout
    start = 0
    for _, name in wanted:
        end = content.index(b"\n", start)
        header = content[start:end].split()
        start = end + 1
        if header[1] != b"blob":
            continue
        size = int(header[2])
        if size <= LARGEST and not Path(name).is_absolute() and ".." not in Path(name).parts:
            target = into / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content[start : start + size])
        start += size + 1
