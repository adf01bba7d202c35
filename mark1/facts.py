"""The public names of core/facts.py."""

from mark1.core.facts import *  # noqa: F403
