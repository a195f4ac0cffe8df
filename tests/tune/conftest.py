"""What goes on inside a trial has torch; the rest of the tests can do without."""

import importlib.util

NEED_TORCH = ["test_inside.py", "test_stream.py", "test_target.py"]
collect_ignore = [] if importlib.util.find_spec("torch") else NEED_TORCH
