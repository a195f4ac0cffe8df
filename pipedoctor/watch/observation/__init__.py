"""From what was counted to the facts of a job: its slowest rank, a forecast, foreign load."""
