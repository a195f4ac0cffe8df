"""Programs that run inside the examined interpreter: they import nothing of ours."""
