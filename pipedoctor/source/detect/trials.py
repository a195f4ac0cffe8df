"""Code of a file that only tries out what the file defines."""

from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.syntax.context import CodeContext
from pipedoctor.source.syntax.expressions import unparse_short
from pipedoctor.source.syntax.scope import CodeScope


def is_trial(recorder: EventRecorder, scope: CodeScope, context: CodeContext) -> bool:
    """
    Does a file that others import try itself out there?

    Under its main guard, or in a function ``test()`` that nobody calls.
    """
    if scope.name.rpartition(".")[2] == "test" and not recorder.project.find_callers(scope):
        return True
    guarded = any("__name__" in unparse_short(guard.test) for guard in context.guards)
    if not (guarded and scope.is_module_body):
        return False
    others = (one for one in recorder.project.modules if one is not scope.module)
    find = recorder.batch_norm_usage.find_imported_modules
    return any(scope.module is imported for one in others for imported in find(one))
