"""Methods that a framework calls with each batch, or with what came of it."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from pipedoctor.facts.source import Loop
from pipedoctor.source.detect.flow_state import FlowState
from pipedoctor.source.detect.recorder import EventRecorder
from pipedoctor.source.detect.training.batch_flow import BatchFlow
from pipedoctor.source.detect.training.losses import find_losses, list_backward_tensors
from pipedoctor.source.syntax.context import CodeContext
from pipedoctor.source.syntax.locations import node_location
from pipedoctor.source.syntax.scope import ClassDefinition, CodeScope

_Role: TypeAlias = Literal["train", "eval"]
GPU_TRAIT = "framework-step"
"""A framework moves the batches: whoever has a GPU uses it, though no line says so."""


class StepHook(NamedTuple):
    """A method, and which of its arguments (without ``self``) lie on the device."""

    method: str
    role: _Role
    batch: int = -1
    """The batch, which the framework has moved."""
    outputs: int = -1
    """What a step or a model returned."""
    attributes: tuple[str, ...] = ()
    """What the framework keeps of the step on ``self``."""


class HookedClass(NamedTuple):
    """A class of a framework, what of it is called in each step, and where that is said."""

    libraries: tuple[str, ...]
    ending: str
    """Of the name of the class that is derived from."""
    hooks: tuple[StepHook, ...]
    source: str


_LIGHTNING = ("pytorch_lightning", "lightning")
_HOOKED_CLASSES = (
    HookedClass(
        _LIGHTNING,
        "LightningModule",
        (
            StepHook("training_step", "train", batch=0),
            StepHook("validation_step", "eval", batch=0),
            StepHook("training_step_end", "train", outputs=0),
            StepHook("on_train_batch_end", "train", outputs=0, batch=1),
            StepHook("on_validation_batch_end", "eval", outputs=0, batch=1),
        ),
        "https://lightning.ai/docs/pytorch/stable/common/lightning_module.html#hooks",
    ),
    HookedClass(
        _LIGHTNING,
        "Callback",
        (
            StepHook("on_train_batch_end", "train", outputs=2, batch=3),
            StepHook("on_validation_batch_end", "eval", outputs=2, batch=3),
        ),
        "https://lightning.ai/docs/pytorch/stable/api/lightning.pytorch.callbacks.Callback.html",
    ),
    HookedClass(
        ("transformers", "trl", "sentence_transformers"),
        "Trainer",
        (
            StepHook("compute_loss", "train", batch=1),
            StepHook("training_step", "train", batch=1),
        ),
        "https://huggingface.co/docs/transformers/main_classes/trainer",
    ),
    HookedClass(
        ("fairseq",),
        "Criterion",
        (StepHook("forward", "train", batch=1),),
        "https://fairseq.readthedocs.io/en/latest/criterions.html",
    ),
    HookedClass(
        ("composer",),
        "ComposerModel",
        (
            StepHook("forward", "train", batch=0),
            StepHook("loss", "train", outputs=0, batch=1),
        ),
        "https://docs.mosaicml.com/projects/composer/en/stable/composer_model.html",
    ),
    HookedClass(
        ("fastai",),
        "Callback",
        tuple(
            StepHook(name, "train", attributes=("loss", "pred", "loss_grad", "xb", "yb"))
            for name in ("after_pred", "after_loss", "after_backward", "after_step", "after_batch")
        ),
        "https://docs.fast.ai/callback.core.html",
    ),
)


def record_step_hooks(recorder: EventRecorder) -> None:
    """Follow what methods do that a framework calls with each batch."""
    present = [
        hooked
        for hooked in _HOOKED_CLASSES
        if not recorder.project.imported_libraries.isdisjoint(hooked.libraries)
    ]
    for cls in recorder.project.classes if present else ():
        if cls.module.is_test:
            continue
        foreign = recorder.project.find_bases(cls)[1]
        for hooked in present:
            if any(_is_derived(name, hooked) for name in foreign):
                _record_hooks(recorder, cls, hooked.hooks)


def _is_derived(name: str, hooked: HookedClass) -> bool:
    head, _, last = name.partition(".")
    return head in hooked.libraries and last.endswith(hooked.ending)


def _record_hooks(recorder: EventRecorder, cls: ClassDefinition, hooks: Sequence[StepHook]) -> None:
    for hook in hooks:
        method = cls.methods.get(hook.method)
        if method is not None and id(method) not in recorder.followed_scopes:
            recorder.traits.add(GPU_TRAIT)
            _follow_hook(recorder, cls, method, hook)


def _follow_hook(
    recorder: EventRecorder, cls: ClassDefinition, method: CodeScope, hook: StepHook
) -> None:
    """``training_step(self, batch, batch_idx)``: the batch is on the device already."""
    given = [one.arg for one in method.parameters][1:]
    batch = given[hook.batch : hook.batch + 1] if hook.batch >= 0 else []
    outputs = given[hook.outputs : hook.outputs + 1] if hook.outputs >= 0 else []
    at = node_location(method.module, method.node)
    recorder.loops.append(
        Loop(at=at, function=method.name, role=hook.role, repeats=True, single=True)
    )
    recorder.followed_scopes.add(id(method))
    recorder.step_scopes.add(id(method))
    inside = [step for step in method.steps if not step.context.inner]
    losses = {*find_losses(method, inside), *list_backward_tensors(method)} - {""}
    results = {*outputs, *losses, *(f"self.{name}" for name in hook.attributes)}
    moved = {one: (0, CodeContext()) for one in batch}
    flow = BatchFlow(recorder, len(recorder.loops) - 1)
    flow.self_class = cls
    flow.follow_steps(method, inside, FlowState(set(batch), losses, results, on_device=moved))
