"""pipedoctor and its peers, side by side: time, memory, and faults made on purpose."""
