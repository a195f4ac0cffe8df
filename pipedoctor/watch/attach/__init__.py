"""Ways to reach a job: a thread beside it, a script inside it, and the permissions they need."""
