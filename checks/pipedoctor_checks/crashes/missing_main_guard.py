"""PDR933: The script starts workers without a main guard."""

from pipedoctor.check import in_code
from pipedoctor_checks.crashes._log_check import log_check


@log_check(
    "PDR933",
    "The script starts workers without a main guard",
    summary=("Every worker imports the script again, and importing the script starts workers"),
    remedies=(
        in_code(
            'Move everything that starts work under `if __name__ == "__main__":`',
            "def main():\n    ...  # the loaders and the training, as the script has them now\n\n\n"
            'if __name__ == "__main__":\n    main()',
        ),
    ),
)
def missing_main_guard() -> None:
    """
    Find a script that starts itself again in every worker.

    ## Why it hurts

    With the start methods spawn and forkserver (Windows, macOS, and Linux from Python
    3.14 on) every worker imports the training script. Without a guard the import starts
    training, and thus workers, again.

    ## How it is judged

    Python reports that a process was started before the current one had finished its
    bootstrapping.

    ## Sources

    - https://docs.python.org/3/library/multiprocessing.html#the-spawn-and-forkserver-start-methods
    - https://docs.pytorch.org/docs/stable/notes/windows.html
    """
