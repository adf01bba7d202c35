"""What a machine is: frozen settings, one class per kind of unit, composed in MachineConfig; and the three presets.

Whole numbers throughout: microvolts (uv), microseconds (us), parts per million (ppm). Each default comes from
core/defaults.py, which is generated from the ledger docs/facts.toml; the ledger says of each whether it is
documented, inferred or chosen. A bad value is a ConfigError that names the field, the value and the range.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from typing import Any

from mark1.core import defaults as d
from mark1.core.errors import ConfigError

LAYOUTS = ("random", "topological")
SPLITS = ("interleaved", "blocks", "every")
SYSTEMS = ("alpha", "beta", "gamma")
MODES = ("forced", "error correction", "spontaneous")
POLARITIES = ("as the mode", "monovalent", "bivalent")
MOST_UNITS = 4_194_304
MOST_US = 3_600_000_000  # one hour: no single delay or run is longer


def whole(name: str, value: object, low: int, high: int) -> None:
    """Refuses anything but a whole number from low to high."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ConfigError(f"{name} is {value!r}, but must be a whole number from {low:,} to {high:,}.")


def one_of(name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Refuses anything but one of the allowed words."""
    if value not in allowed:
        raise ConfigError(f"{name} is {value!r}, but must be one of: {', '.join(allowed)}.")


@dataclass(frozen=True, kw_only=True, slots=True)
class RetinaConfig:
    """The field of photocells."""

    rows: int = d.RETINA_ROWS
    columns: int = d.RETINA_COLUMNS
    settle_us: int = d.CELL_SETTLE_US
    threshold_ppm: int = d.CELL_THRESHOLD_PPM
    noise_ppm: int = d.CELL_NOISE_PPM

    def __post_init__(self) -> None:
        whole("retina.rows", self.rows, 1, 512)
        whole("retina.columns", self.columns, 1, 512)
        whole("retina.settle_us", self.settle_us, 0, MOST_US)
        whole("retina.threshold_ppm", self.threshold_ppm, 0, 1_000_000)
        whole("retina.noise_ppm", self.noise_ppm, 0, 1_000_000)

    @property
    def cells(self) -> int:
        """How many photocells there are."""
        return self.rows * self.columns


@dataclass(frozen=True, kw_only=True, slots=True)
class PlugboardConfig:
    """The rule by which the connections from S-units to A-units are drawn."""

    excitatory: int = d.EXCITATORY
    inhibitory: int = d.INHIBITORY
    fan_out_limit: int = d.FAN_OUT_LIMIT  # A-units that one S-unit can feed; 0 lifts the limit (not historic)
    layout: str = "random"
    reach: int = d.TOPOLOGICAL_REACH  # topological layout only: wires come from within so many cells of a centre

    def __post_init__(self) -> None:
        whole("plugboard.excitatory", self.excitatory, 0, 16_000)
        whole("plugboard.inhibitory", self.inhibitory, 0, 16_000)
        whole("plugboard.fan_out_limit", self.fan_out_limit, 0, MOST_UNITS)
        one_of("plugboard.layout", self.layout, LAYOUTS)
        whole("plugboard.reach", self.reach, 0, 512)

    @property
    def wires(self) -> int:
        """Connections of one A-unit."""
        return self.excitatory + self.inhibitory


@dataclass(frozen=True, kw_only=True, slots=True)
class AssociationConfig:
    """The A-units."""

    units: int = d.ASSOCIATION_UNITS
    threshold: int = d.ASSOCIATION_THRESHOLD
    settle_us: int = d.ASSOCIATION_US

    def __post_init__(self) -> None:
        whole("association.units", self.units, 1, MOST_UNITS)
        whole("association.threshold", self.threshold, -16_000, 16_000)
        whole("association.settle_us", self.settle_us, 0, MOST_US)


@dataclass(frozen=True, kw_only=True, slots=True)
class PotentiometerConfig:
    """The motor-driven potentiometers that hold the values."""

    low_uv: int | None = d.LOW_STOP_UV  # None: no stops, as in the textbook
    high_uv: int | None = d.HIGH_STOP_UV
    speed_uv_s: int = d.MOTOR_SPEED_UV_S
    spread_ppm: int = d.MOTOR_SPREAD_PPM  # each motor's speed differs by up to this much, for its life
    lag_us: int = d.MOTOR_LAG_US
    coast_us: int = d.MOTOR_COAST_US
    backlash_uv: int = d.BACKLASH_UV
    exact_return: bool = False  # gamma's return is shared to the microvolt instead of timed (textbook)

    def __post_init__(self) -> None:
        if (self.low_uv is None) != (self.high_uv is None):
            raise ConfigError("potentiometer.low_uv and high_uv must both be numbers or both be absent (no stops).")
        if self.low_uv is not None and self.high_uv is not None:
            whole("potentiometer.low_uv", self.low_uv, -1_000_000_000, 0)
            whole("potentiometer.high_uv", self.high_uv, 1, 1_000_000_000)
        whole("potentiometer.speed_uv_s", self.speed_uv_s, 1, 1_000_000_000)
        whole("potentiometer.spread_ppm", self.spread_ppm, 0, 900_000)
        whole("potentiometer.lag_us", self.lag_us, 0, 10_000_000)
        whole("potentiometer.coast_us", self.coast_us, 0, 1_000_000)
        whole("potentiometer.backlash_uv", self.backlash_uv, 0, 1_000_000_000)
        fastest = self.speed_uv_s * (1_000_000 + self.spread_ppm) // 1_000_000
        if fastest * self.coast_us**2 > 10**18:
            raise ConfigError("potentiometer.speed_uv_s and coast_us are too large together; make one smaller.")
        if not isinstance(self.exact_return, bool):
            raise ConfigError(f"potentiometer.exact_return is {self.exact_return!r}, but must be true or false.")

    @property
    def stops(self) -> tuple[int, int] | None:
        """The two end stops, or None."""
        return None if self.low_uv is None or self.high_uv is None else (self.low_uv, self.high_uv)


@dataclass(frozen=True, kw_only=True, slots=True)
class ResponseConfig:
    """The R-units and how the A-units are split among them."""

    units: int = d.RESPONSE_UNITS
    in_use: int = d.RESPONSE_UNITS
    split: str = "interleaved"  # chosen: A-unit a feeds R-unit (a mod in_use); how the 512 were split is not known
    threshold_uv: int = d.RESPONSE_THRESHOLD_UV
    dead_zone_uv: int = d.DEAD_ZONE_UV
    settle_us: int = d.RESPONSE_US

    def __post_init__(self) -> None:
        whole("response.units", self.units, 1, 64)
        whole("response.in_use", self.in_use, 1, self.units)
        one_of("response.split", self.split, SPLITS)
        whole("response.threshold_uv", self.threshold_uv, -(10**12), 10**12)
        whole("response.dead_zone_uv", self.dead_zone_uv, 0, 10**12)
        whole("response.settle_us", self.settle_us, 0, MOST_US)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReinforcementConfig:
    """How values are changed."""

    run_us: int = d.RUN_US
    system: str = "alpha"
    polarity: str = "as the mode"  # forced learning is monovalent, the other modes bivalent
    beta_total_us: int = d.BETA_TOTAL_US  # the beta system's K: run time shared out in one reinforcement
    decay_p: int = 0  # before each presentation every value loses trunc(value * p / q)
    decay_q: int = 1_000_000

    def __post_init__(self) -> None:
        whole("reinforcement.run_us", self.run_us, 0, MOST_US)
        one_of("reinforcement.system", self.system, SYSTEMS)
        one_of("reinforcement.polarity", self.polarity, POLARITIES)
        whole("reinforcement.beta_total_us", self.beta_total_us, 0, MOST_US)
        whole("reinforcement.decay_q", self.decay_q, 1, 1_000_000)
        whole("reinforcement.decay_p", self.decay_p, 0, self.decay_q)


@dataclass(frozen=True, kw_only=True, slots=True)
class MachineConfig:
    """A whole machine."""

    name: str = "HISTORIC"
    retina: RetinaConfig = field(default_factory=RetinaConfig)
    plugboard: PlugboardConfig = field(default_factory=PlugboardConfig)
    association: AssociationConfig = field(default_factory=AssociationConfig)
    potentiometer: PotentiometerConfig = field(default_factory=PotentiometerConfig)
    response: ResponseConfig = field(default_factory=ResponseConfig)
    reinforcement: ReinforcementConfig = field(default_factory=ReinforcementConfig)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not 0 < len(self.name) <= 100:
            raise ConfigError(f"name is {self.name!r}, but must be a text of 1 to 100 characters.")
        cells, wires, units = self.retina.cells, self.plugboard.wires, self.association.units
        if wires > self._cells_in_reach():
            raise ConfigError(
                f"plugboard: {wires} wires per A-unit do not fit on {self._cells_in_reach()} cells; "
                "use fewer wires or more cells."
            )
        limit = self.plugboard.fan_out_limit
        if limit and wires * units > limit * cells:
            raise ConfigError(
                f"plugboard.fan_out_limit is {limit}, but {units} A-units of {wires} wires need at least "
                f"{-(-wires * units // cells)} on {cells} cells; raise it, or set 0 to lift it."
            )
        if self.response.in_use > units:
            raise ConfigError(f"response.in_use is {self.response.in_use}, but there are only {units} A-units.")

    def _cells_in_reach(self) -> int:
        if self.plugboard.layout == "random":
            return self.retina.cells
        side = 2 * self.plugboard.reach + 1
        return min(side, self.retina.rows) * min(side, self.retina.columns)

    @property
    def historic(self) -> bool:
        """Whether the A-R wiring is many-to-one, as the manual's Figure 1 says."""
        return self.response.split != "every"

    def with_(self, **changes: Any) -> "MachineConfig":
        """A copy with fields changed by path: with_(response__in_use=5, name='mine')."""
        return _changed(self, {key.replace("__", "."): value for key, value in changes.items()})

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON and TOML."""
        return asdict(self)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> "MachineConfig":
        """The reverse; an unknown key is an error that names the nearest known one."""
        config: MachineConfig = _built(MachineConfig, data, "")
        return config


def _built(kind: Any, data: Mapping[str, Any], path: str) -> Any:
    if not isinstance(data, Mapping):
        raise ConfigError(f"{path or 'the configuration'} must be a table of settings, not {data!r}.")
    known = {f.name: f for f in fields(kind)}
    for key in data:
        if key not in known:
            raise ConfigError(f"unknown setting {path}{key}; {_nearest(str(key), list(known))}")
    sections = {f.name: f.default_factory for f in fields(kind) if is_dataclass(f.default_factory)}
    return kind(**{k: _built(sections[k], v, f"{path}{k}.") if k in sections else v for k, v in data.items()})


def _nearest(key: str, known: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(key, known, 1, 0.5)
    return f"did you mean {close[0]}?" if close else f"known are: {', '.join(known)}."


def _changed(config: MachineConfig, changes: Mapping[str, Any]) -> MachineConfig:
    data = config.to_dict()
    for path, value in changes.items():
        *sections, name = path.split(".")
        place = data
        for section in sections:
            place = place.setdefault(section, {})
        place[name] = value
    return MachineConfig.from_dict(data)


HISTORIC = MachineConfig()
IDEAL = MachineConfig(  # the textbook's machine: no delays, no stops, equal motors
    name="IDEAL",
    retina=RetinaConfig(settle_us=0),
    association=AssociationConfig(settle_us=0),
    potentiometer=PotentiometerConfig(
        low_uv=None, high_uv=None, spread_ppm=0, lag_us=0, coast_us=0, backlash_uv=0, exact_return=True
    ),
    response=ResponseConfig(dead_zone_uv=0, settle_us=0),
)
# Not historic: a potentiometer for every pair of A-unit and R-unit, as is often but wrongly told of the Mark I.
EXPANDED = replace(HISTORIC, name="EXPANDED (not historic)", response=ResponseConfig(split="every"))
PRESETS = {"HISTORIC": HISTORIC, "IDEAL": IDEAL, "EXPANDED": EXPANDED}
