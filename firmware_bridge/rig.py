"""What hangs on which channel: the channel map, calibration and limits of a rig, from a TOML file.

    [[port]]
    device = "/dev/ttyACM0"        # or a URL, or "auto"
    map = "auto"                   # the A-units that move most on the tray; or a list of channels:
    [[port.channel]]
    source = "A17"                 # value of A-unit 17; "A17/R2" on a machine with several banks; "sum R1"; "lamp R1"
    ends = [600, 1500, 2400]       # low, middle, high in the actuator's own units; swap the ends to reverse

People count from 1; arrays from 0. An unknown key is an error that names the nearest known one. Left out: the ports
themselves (host.py).
"""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from firmware_bridge.messages import FULL_WIRE, Wire, to_wire
from firmware_bridge.mirror import Limits
from mark1.errors import ConfigError
from mark1.facts import MotorsStarted

_SOURCE = re.compile(r"^(?:A(\d+)(?:/R(\d+))?|(sum|lamp) R(\d+))$")


@dataclass(frozen=True, slots=True)
class Source:
    """What a channel shows: the value of an A-unit (in one bank), an R-unit's sum, or its lamp."""

    kind: str  # "value", "sum" or "lamp"
    unit: int  # A-unit, or R-unit for sum and lamp; from 0
    bank: int = 0

    @staticmethod
    def parse(text: str) -> "Source":
        """'A17', 'A17/R2', 'sum R1' or 'lamp R1'."""
        match = _SOURCE.match(text) if isinstance(text, str) else None
        if match is None or any(number is not None and not int(number) for number in match.group(1, 2, 4)):
            raise ConfigError(f"'{text}' is no source of a channel; write A17, A17/R2, sum R1 or lamp R1.")
        unit, bank, kind, response = match.groups()
        if kind:
            return Source(kind, int(response) - 1)
        return Source("value", int(unit) - 1, int(bank) - 1 if bank else 0)

    def __str__(self) -> str:
        if self.kind != "value":
            return f"{self.kind} R{self.unit + 1}"
        return f"A{self.unit + 1}" + (f"/R{self.bank + 1}" if self.bank else "")


@dataclass(frozen=True, slots=True)
class PortConfig:
    """One board: where it is, what its channels show, how they are bent and limited."""

    device: str = "auto"
    baud: int = 115_200
    map: str = "auto"  # "auto", "first" (A1, A2, ...) or "list"
    sources: tuple[Source, ...] = ()
    calibration: Mapping[int, tuple[int, int, int]] = field(default_factory=dict)
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True)
class RigConfig:
    """A whole rig."""

    name: str = "rig"
    ports: tuple[PortConfig, ...] = (PortConfig(),)
    response: int = 0  # the R-unit that the buttons right and wrong speak of; from 0
    photocell_rows: int = 0
    photocell_columns: int = 0


_RIG_KEYS = ("name", "port", "response", "photocell_rows", "photocell_columns")
_LIMIT_KEYS = tuple(f.name for f in fields(Limits))
_PORT_KEYS = ("device", "baud", "map", "channel", *_LIMIT_KEYS)
_CHANNEL_KEYS = ("source", "ends")


def load_rig(path: Path) -> RigConfig:
    """The rig in a TOML file."""
    try:
        return rig_from(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise ConfigError(f"There is no rig file {path}; 'mark1 rig calibrate' writes one.") from None
    except OSError as error:
        raise ConfigError(f"The rig file {path} cannot be read ({error.strerror}); name another.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not TOML: {error}.") from None


def rig_named(text: str, baud: int = 115_200) -> RigConfig:
    """What a user means by --rig TEXT: a rig file (.toml), or one board on that port, or auto."""
    if text.endswith(".toml"):
        return load_rig(Path(text))
    return RigConfig(ports=(PortConfig(device=text, baud=baud),))


def rig_from(data: Mapping[str, Any]) -> RigConfig:
    """The same from plain data."""
    _known(data, _RIG_KEYS, "")
    ports = data.get("port", [{}])
    if not isinstance(ports, list) or not ports or not all(isinstance(port, Mapping) for port in ports):
        raise ConfigError("port must be one or more tables, each headed [[port]].")
    return RigConfig(
        name=str(data.get("name", "rig")),
        ports=tuple(_port(port) for port in ports),
        response=_whole(data, "response", 1, 1, 64) - 1,
        photocell_rows=_whole(data, "photocell_rows", 0, 0, 512),
        photocell_columns=_whole(data, "photocell_columns", 0, 0, 512),
    )


def _port(data: Mapping[str, Any]) -> PortConfig:
    _known(data, _PORT_KEYS, "port.")
    channels = data.get("channel", [])
    if not isinstance(channels, list) or not all(isinstance(channel, Mapping) for channel in channels):
        raise ConfigError("channel must be one or more tables, each headed [[port.channel]].")
    for channel in channels:
        _known(channel, _CHANNEL_KEYS, "port.channel.")
    named = [channel.get("source") for channel in channels]
    how = data.get("map", "list" if any(named) else "auto")
    if how not in ("auto", "first", "list"):
        raise ConfigError(f"port.map is '{how}', but must be auto, first or list.")
    listed = [source for source in named if source]
    if how == "list" and (not listed or not all(named[: len(listed)])):
        raise ConfigError("In a listed map every [[port.channel]] up to the last source needs one; or set map to auto.")
    return PortConfig(
        device=str(data.get("device", "auto")),
        baud=_whole(data, "baud", 115_200, 1200, 2_000_000),
        map=how,
        sources=tuple(Source.parse(source) for source in listed) if how == "list" else (),
        calibration={number: _ends(c["ends"]) for number, c in enumerate(channels) if "ends" in c},
        limits=_limits(data),
    )


def _limits(data: Mapping[str, Any]) -> Limits:
    most = {"motors_at_once": 255}
    return Limits(**{key: _whole(data, key, 0, 0, most.get(key, 65_535)) for key in _LIMIT_KEYS})


def _ends(ends: Any) -> tuple[int, int, int]:
    good = isinstance(ends, list) and len(ends) == 3 and all(isinstance(e, int) and 0 <= e <= 65_535 for e in ends)
    if not good:
        raise ConfigError(f"port.channel.ends is {ends!r}, but must be three whole numbers: low, middle, high.")
    return (ends[0], ends[1], ends[2])


def _whole(data: Mapping[str, Any], key: str, usual: int, low: int, high: int) -> int:
    value = data.get(key, usual)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ConfigError(f"{key} is {value!r}, but must be a whole number from {low} to {high}.")
    return value


def _known(data: Mapping[str, Any], keys: tuple[str, ...], path: str) -> None:
    for key in data:
        if key not in keys:
            close = get_close_matches(key, keys, 1, 0.5)
            raise ConfigError(f"unknown setting {path}{key}; did you mean {close[0] if close else ' or '.join(keys)}?")


def rig_text(rig: RigConfig) -> str:
    """The rig as TOML, so that load_rig gives it back. A text of JSON is one of TOML too."""
    lines = [f"name = {json.dumps(rig.name)}", f"response = {rig.response + 1}"]
    if rig.photocell_rows:
        lines += [f"photocell_rows = {rig.photocell_rows}", f"photocell_columns = {rig.photocell_columns}"]
    for port in rig.ports:
        lines += ["", "[[port]]", f"device = {json.dumps(port.device)}", f"baud = {port.baud}", f'map = "{port.map}"']
        lines += [f"{key} = {getattr(port.limits, key)}" for key in _LIMIT_KEYS if getattr(port.limits, key)]
        for number in range(max(len(port.sources), 1 + max(port.calibration, default=-1))):
            lines += ["", "[[port.channel]]"]
            lines += [f'source = "{port.sources[number]}"'] if number < len(port.sources) else []
            lines += [f"ends = {list(port.calibration[number])}"] if number in port.calibration else []
    return "\n".join(lines) + "\n"


# ---- from a machine's state to wire values ----
def check_sources(sources: tuple[Source, ...], state: Any) -> None:
    """Refuses a source that this machine does not have."""
    banks, units = state.values.shape
    for source in sources:
        there = source.unit < units and source.bank < banks if source.kind == "value" else source.unit < len(state.sums)
        if not there:
            raise ConfigError(
                f"The rig's map names {source}, but this machine has {units} A-units in {banks} bank(s) and "
                f"{len(state.sums)} R-units in use; change the map."
            )


class ChannelMap:
    """Sources as index arrays, so that a snapshot costs a few microseconds."""

    def __init__(self, sources: tuple[Source, ...], state: Any, channels: int) -> None:
        self.sources = sources
        self.channels = channels  # of the board that it was made for
        self._shape = (*state.values.shape, len(state.sums))
        self._values = np.array([s.kind == "value" for s in sources], bool)
        self._units = np.array([s.unit for s in sources], np.intp)
        self._banks = np.array([s.bank for s in sources], np.intp)

    def fits(self, state: Any) -> bool:
        """Is this a machine of the same size as the one that the map was made for?"""
        return self._shape == (*state.values.shape, len(state.sums))

    def wire(self, state: Any) -> Wire:
        """The wire value of every channel."""
        out = np.zeros(len(self.sources), np.int16)
        mask = self._values
        out[mask] = to_wire(state.values[self._banks[mask], self._units[mask]])
        for channel in np.flatnonzero(~mask):
            out[channel] = _response_wire(self.sources[channel], state)
        return out


def _response_wire(source: Source, state: Any) -> int:
    if source.kind == "lamp":
        return 0 if state.undecided[source.unit] else FULL_WIRE * int(state.states[source.unit])
    # A sum is shown against the largest that the units now firing could give (chosen), so it always fits the dial.
    feeding = (state.feeds == source.unit) & state.active
    return int(to_wire(state.sums[source.unit] / max(1, int(feeding.sum()))))


# ---- map = auto ----
def auto_sources(
    machine: Any, lights: Any, targets: Any, channels: int, presentations: int = 100
) -> tuple[Source, ...]:
    """The potentiometers that move most on the tray, by training a copy of the machine on it; most first.

    Never mind how far they move: each motor run counts once. Ties, and a tray that moves nothing, go by number.
    """
    copy = type(machine).restored(machine.save())
    counts = np.zeros(machine.state().values.shape, np.int64)

    def count(fact: Any) -> None:
        if isinstance(fact, MotorsStarted):
            counts[list(fact.banks)] += fact.directions != 0

    copy.observe(count, strict=True)
    passes = -(-presentations // len(lights))
    copy.train(lights, targets, passes=passes, max_presentations=presentations)
    best = np.argsort(-counts, axis=None, kind="stable")[:channels]
    return tuple(Source("value", int(i) % counts.shape[1], int(i) // counts.shape[1]) for i in best)


def first_sources(machine: Any, channels: int) -> tuple[Source, ...]:
    """A1, A2, ... as far as there are A-units."""
    return tuple(Source("value", unit) for unit in range(min(channels, machine.state().values.shape[1])))
