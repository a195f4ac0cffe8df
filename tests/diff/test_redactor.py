"""One redactor for several machines: each with names of its own."""

from pipedoctor.facts import Facts, Interpreter, Memory
from pipedoctor.privacy.redactor import RedactionLevel, Redactor


def test_names_of_one_machine_are_no_trap_for_the_next() -> None:
    redactor = Redactor(RedactionLevel.ALL)
    first = Facts(Interpreter(prefix="/home/carol/venv"))
    second = Facts(Memory(total=1, available=1), unknown={"gpu": "no driver of carol here"})

    assert redactor.redact_facts(first).get(Interpreter) == Interpreter(
        prefix="/home/<user-1>/venv"
    )
    assert redactor.redact_facts(second).unknown == {"gpu": "no driver of carol here"}
