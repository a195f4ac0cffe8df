"""Code of a file that only tries out what the file defines."""

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.context import CodeContext
from pipedoctor.source.syntax.main_guards import is_main_guarded
from pipedoctor.source.syntax.scope import CodeScope


def is_trial(recorder: EventRecorder, scope: CodeScope, context: CodeContext) -> bool:
    """
    Does a file that others import try itself out there?

    Under its main guard, or in a function ``test()`` that nobody calls.
    """
    if scope.name.rpartition(".")[2] == "test" and not recorder.project.find_callers(scope):
        return True
    if not (scope.is_module_body and is_main_guarded(context)):
        return False
    project = recorder.project
    others = (one for one in project.modules if one is not scope.module)
    return any(scope.module in project.find_imported_modules(one) for one in others)
