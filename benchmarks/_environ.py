"""The surroundings of what is measured: those of a program that was installed."""

import os


def bytecode_environ() -> dict[str, str]:
    """The environment of this process, in which modules keep their bytecode."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
