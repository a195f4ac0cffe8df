"""Carry out a plan step by step, and the way back."""
