"""Apply remedies: a plan, consent, a journal, proof, and the way back."""
