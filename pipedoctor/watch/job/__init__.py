"""All processes of a job, looked at in turn: the session, its budget of CPU, its timeline."""
