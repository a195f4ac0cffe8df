"""Refactorings that move a loop over batches into a trainer."""

import ast

from tests.checks.code_samples import HEAD
from tests.source.refactored_syntax import (
    Files,
    Function,
    batch_loops,
    defines,
    is_store,
    select,
    unparse,
    without_imports,
)


def move_into_trainer(code: str) -> Files | None:
    """Make the loop a method of a trainer, and what it uses attributes."""
    tree = ast.parse(code)
    if not batch_loops(tree):
        return None
    trains = [s for s in tree.body if isinstance(s, Function) and batch_loops(s)]
    source = trains[0] if trains else tree
    body = source.body if trains else [s for s in without_imports(tree) if not defines(s)]
    if any(isinstance(n, ast.Return) for s in body for n in ast.walk(s)):
        return None
    parameters = [one.arg for one in trains[0].args.args] if trains else []
    local = {n.id for s in body for n in ast.walk(s) if is_store(n)} | set(parameters)
    bound = {n.id for loop in select(source, ast.For) for n in ast.walk(loop.target) if is_store(n)}
    first = next((n for n, s in enumerate(body) if isinstance(s, ast.For)), 0)
    for statement in body:
        for node in select(statement, ast.Name):
            if node.id in local - bound:
                node.id = f"self.{node.id}"
    init = [f"    self.{one} = {one}" for one in parameters] or ["    pass"]
    head = ", ".join(["self", *parameters])
    text = "\n    ".join([f"class Trainer(Base):\n    def __init__({head}):", *init])
    cls = ast.parse(f"{text}\n\n    def fit(self):\n        pass\n").body[0]
    assert isinstance(cls, ast.ClassDef)
    start, fit = cls.body
    assert isinstance(start, Function)
    assert isinstance(fit, Function)
    start.body += body[:first]
    fit.body = body[first:]
    others = [s for s in tree.body if s is not source and s not in body]
    end = "" if trains else "\nif __name__ == '__main__':\n    Trainer().run()\n"
    return {
        "base.py": "class Base:\n    def run(self):\n        self.fit()\n",
        "train.py": f"{HEAD}from base import Base\n{unparse([*others, cls])}{end}",
    }


def train_in_hook(code: str) -> Files | None:
    """The same, where the class that it derives from has the method, for others to fill."""
    files = move_into_trainer(code)
    hook = "\n    def fit(self):\n        raise NotImplementedError\n"
    return files and {**files, "base.py": files["base.py"] + hook}
