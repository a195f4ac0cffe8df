"""Making the cases of these tests takes seconds: they are collected only where they are wanted."""

import pytest


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    return True if "not registry" in str(config.getoption("markexpr")) else None
