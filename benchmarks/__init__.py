"""Benchmarks: ratios to plain baselines, timed in one run, interleaved, median of several rounds.

Each function measure() returns {"name": {"value", "target", "met", "detail"}}. Run them with `mark1 bench`.
"""
