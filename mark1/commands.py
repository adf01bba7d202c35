"""The public names of core/commands.py."""

from mark1.core.commands import *  # noqa: F403
