"""Distributions that provide the package PIL."""

PILLOW_FORKS = ("pillow", "pillow-simd")
