"""The library's own errors. Each message is one sentence that names the thing and the cure."""


class Mark1Error(Exception):
    """Anything the library refuses or cannot do; the message is fit for a user."""


class InputError(Mark1Error):
    """The words or the data given were wrong; nothing was changed."""


class ConfigError(InputError):
    """A setting is impossible: names the field, the value and the allowed range."""


class StimulusError(InputError):
    """A card or its light cannot be used."""


class CommandError(InputError):
    """A command that this machine cannot carry out; the machine is unchanged."""


class SaveError(InputError):
    """A machine file or journal that is damaged, foreign or too new."""


class BridgeError(Mark1Error):
    """A rig that cannot be opened, or that does not answer as it should."""
