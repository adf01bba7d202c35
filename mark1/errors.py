"""The public family of errors: catch Mark1Error to catch them all."""

from mark1.core.errors import (
    BridgeError,
    CommandError,
    ConfigError,
    InputError,
    Mark1Error,
    SaveError,
    StimulusError,
)

__all__ = ["BridgeError", "CommandError", "ConfigError", "InputError", "Mark1Error", "SaveError", "StimulusError"]
