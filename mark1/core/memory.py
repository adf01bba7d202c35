"""What a machine remembers: everything, for save() and restore(); and undo points, for what people do by hand.

A saved machine holds configuration, wiring as it is now, the queue, runs in flight, lash, cell settling, R states,
generators, counters, faults, the sequencer and the undo points: it resumes to the same bits.
An undo point holds what commands change: it leaves time, counters, generators, the tray and the codes alone.
"""

from typing import Any

import numpy as np

from mark1.core import chance, checking, plugboard
from mark1.core.config import MachineConfig
from mark1.core.errors import Mark1Error, SaveError
from mark1.core.potentiometer import Rack, Run
from mark1.core.reinforcement import Request
from mark1.core.response import Codebook, Response
from mark1.core.retina import FULL_PPM
from mark1.core.schedule import Schedule
from mark1.core.sequencer import Sequencer, Tray
from mark1.core.sources import SourceSets
from mark1.core.works import Counters, Works

Tree = dict[str, Any]
# What a number, a text or a list in the wrong place can raise before it is found out.
WRONG_KIND = (Mark1Error, ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError)


def learned(works: Works) -> Tree:
    """An undo point. Arrays that are replaced when they change are shared; values and lash are copied."""
    rack, association, retina = works.rack, works.association, works.retina
    return {
        "config": works.config,
        "wiring_seed": works.wiring_seed,
        "table": works.plugboard.table,
        "thresholds": association.thresholds,
        "pulled": association.pulled,
        "toggles": retina.toggles,
        "cell_faults": retina.faults,
        "values": rack.values.copy(),
        "lash": rack.lash.copy(),
        "speeds": rack.speeds,
        "health": rack.health,
        "wiper_noise": rack.wiper_noise,
        "states": works.answer.states,
        "codebook": works.codebook,
    }


def relearn(works: Works, point: Tree) -> None:
    """Goes back to an undo point."""
    config: MachineConfig = point["config"]
    rewired = works.plugboard.table is not point["table"]
    old = works.config
    works.adjust(config)
    works.wiring_seed = point["wiring_seed"]
    works.sources = SourceSets(config.response, config.association.units)
    works.rack = Rack(config.potentiometer, point["values"].shape, point["speeds"])
    works.rack.values, works.rack.lash = point["values"].copy(), point["lash"].copy()
    works.rack.health, works.rack.wiper_noise = point["health"], point["wiper_noise"]
    works.rack.note()
    if rewired:
        works.plugboard.plug(point["table"])
    works.plugboard.limit = config.plugboard.fan_out_limit
    works.association.thresholds, works.association.pulled = point["thresholds"], point["pulled"]
    works.association.set()
    works.retina.load(works.retina.dump() | {"toggles": point["toggles"], "faults": point["cell_faults"]})
    works.codebook = _codes_for(config, works.codebook, point["codebook"])
    _answer_for(works, point["states"], old.response.in_use != config.response.in_use)


def _codes_for(config: MachineConfig, now: Codebook, then: Codebook) -> Codebook:
    """Codes are labels, not steps: they stay as they are, unless the R-units that are in use again cannot give them."""
    fits = all(code < 1 << config.response.in_use for code in now.codes)
    return now if fits else then


def _answer_for(works: Works, states: Any, resized: bool) -> None:
    answer = works.answer
    if resized:
        count = len(states)
        answer = Response(states, np.ones(count, np.bool_), np.zeros(count))
        works.counters.corrections = np.zeros(count, np.int64)
        works.counters.blind = np.zeros(count, np.int64)
        works.sequencer = Sequencer()  # its targets do not fit any more
    works.answer = answer._replace(states=states)


# -- the whole machine -----------------------------------------------------------------------------------------


def dump(works: Works, undo: list[Tree], start: Tree | None) -> Tree:
    """Everything, as plain data and arrays."""
    tables: list[Any] = []
    points = [_point(point, tables) for point in undo]
    first = None if start is None else _point(start, tables)
    return {
        "now_us": works.now_us,
        "fact_number": works.fact_number,
        "seed": works.seed,
        "phase": works.phase,
        "card": works.card,
        "notes": works.notes,
        "learned": _point(learned(works), tables),
        "light": _light(works),
        "active": works.association.active,
        "answer": {"undecided": works.answer.undecided, "sums": works.answer.sums},
        "runs": [_run(run) for run in works.rack.runs.values()],
        "waiting": [_request(request) for request in works.waiting],
        "queue": works.schedule.dump(),
        "streams": {purpose: chance.position(bits) for purpose, bits in works.streams.items()},
        "counters": {name: getattr(works.counters, name) for name in Counters.__dataclass_fields__},
        "sequencer": _sequencer(works.sequencer),
        "undo": points,
        "training_start": first,
        "plugboards": [plugboard.as_lines(table) for table in tables],
    }


def _point(point: Tree, tables: list[Any]) -> Tree:
    """An undo point with its wiring named by number: the same table is written once."""
    wanted = point["table"]
    same = (n for n, table in enumerate(tables) if table is wanted or np.array_equal(table, wanted))
    number = next(same, len(tables))
    if number == len(tables):
        tables.append(wanted)
    book: Codebook = point["codebook"]
    return point | {
        "config": point["config"].to_dict(),
        "table": number,
        "codebook": {"names": list(book.names), "codes": list(book.codes)},
    }


def _light(works: Works) -> Tree:
    """The retina; cells that have settled have no earlier level."""
    retina = works.retina
    settling = works.now_us - retina.since_us < retina.config.settle_us
    return {
        "light": retina.light,
        "earlier": retina.earlier if settling else retina.light,
        "since_us": retina.since_us if settling else 0,
        "outputs": retina.outputs,
    }


def _run(run: Run) -> Tree:
    return {
        "number": run.number,
        "start_us": run.start_us,
        "rest_us": run.rest_us,
        "banks": list(run.banks),
        "directions": run.directions,
        "run_us": run.run_us,
        "exact_uv": run.exact_uv,
    }


def _request(request: Request) -> Tree:
    return request._asdict()


def _sequencer(sequencer: Sequencer) -> Tree:
    tree = {name: getattr(sequencer, name) for name in Sequencer.__dataclass_fields__}
    tray: Tray | None = tree["tray"]
    if tray is not None:
        tree["tray"] = {"targets": tray.targets} | _packed(tray.lights)
    return tree


def _packed(lights: Any) -> Tree:
    """Cards that are all black and white take one bit a cell."""
    if np.isin(lights, (0, FULL_PPM)).all():
        return {"cells": lights.shape[1], "bits": np.packbits(lights > 0, axis=1)}
    return {"lights": lights}


# -- and back --------------------------------------------------------------------------------------------------


def load(tree: Tree) -> tuple[Works, list[Tree], Tree | None]:
    """A machine from a tree; SaveError if the tree is not one of a machine."""
    try:
        return _load(tree)
    except SaveError:
        raise
    except WRONG_KIND as error:
        raise checking.damaged(str(error)) from None


def _load(tree: Tree) -> tuple[Works, list[Tree], Tree | None]:
    points = _Points(tree["plugboards"])
    now = points.point(tree["learned"], "learned")
    checking.whole(tree, ("seed",), "machine", 2**64 - 1)
    fresh = Works(now["config"], tree["seed"], now["table"])
    _check(tree, fresh)
    _fill(fresh, tree, now)
    undo = [points.of_same_machine(point, now["config"], "undo") for point in tree["undo"]]
    start = tree["training_start"]
    if start is not None:
        start = points.of_same_machine(start, now["config"], "training_start")
        in_use = start["config"].response.in_use == now["config"].response.in_use
        checking.expect(in_use or tree["sequencer"]["tray"] is None, "training_start")
    points.check_all_used()
    return fresh, undo, start


def _check(tree: Tree, fresh: Works) -> None:
    """Refuses a tree that no machine of this configuration can have written."""
    sources, pattern = fresh.sources, dump(fresh, [], None)
    checking.check_structure(tree, pattern)
    checking.check_numbers(tree)
    checking.check_sequencer(tree["sequencer"], pattern["sequencer"], fresh.config.retina.cells, sources.responses)
    checking.check_queue(tree)
    checking.check_runs(tree, fresh.config.potentiometer, (sources.banks, sources.units))
    checking.check_waiting(tree, sources.units, sources.responses)


def _fill(works: Works, tree: Tree, now: Tree) -> None:
    """A fresh machine becomes the saved one."""
    works.now_us, works.fact_number = tree["now_us"], tree["fact_number"]
    works.phase, works.card, works.notes = tree["phase"], tree["card"], dict(tree["notes"])
    works.streams = {purpose: chance.at_position(tree["streams"][purpose]) for purpose in works.streams}
    works.schedule = Schedule.load(tree["queue"])
    works.sequencer = _load_sequencer(tree["sequencer"])
    works.waiting = [Request(**request) for request in tree["waiting"]]
    works.codebook = now["codebook"]
    relearn(works, now)
    works.counters = Counters(**tree["counters"])
    retina = works.retina
    retina.noise = works.streams["cells"]
    retina.load(tree["light"] | {"toggles": retina.toggles, "faults": retina.faults})
    works.association.active = tree["active"]
    works.association.active.flags.writeable = False
    works.answer = Response(now["states"], tree["answer"]["undecided"], tree["answer"]["sums"])
    for run in tree["runs"]:
        works.rack.runs[run["number"]] = Run(**(run | {"banks": tuple(run["banks"])}))


class _Points:
    """Undo points back from a file; tables are shared again as they were."""

    def __init__(self, plugboards: list[list[str]]) -> None:
        self._lines = plugboards
        self._tables: dict[int, Any] = {}

    def point(self, tree: Tree, where: str) -> Tree:
        """One point, checked."""
        config = MachineConfig.from_dict(tree["config"])
        table = self._table(tree["table"], config)
        checking.like(tree["codebook"], {"names": [], "codes": []}, f"{where}.codebook")
        book = Codebook(tuple(tree["codebook"]["names"]), tuple(tree["codebook"]["codes"]))
        point = tree | {"config": config, "table": table, "codebook": book}
        pattern = learned(Works(config, 0, table))
        checking.like(point, pattern | {"config": config, "table": table, "codebook": book}, where)
        checking.check_point(point, config, where)
        return point

    def of_same_machine(self, tree: Tree, now: MachineConfig, where: str) -> Tree:
        """An earlier point of the machine that is now configured so."""
        point = self.point(tree, where)
        checking.check_same_machine(point["config"], now, where)
        return point

    def check_all_used(self) -> None:
        """Every wiring in the file belongs to a point."""
        checking.expect(len(self._tables) == len(self._lines), "plugboards")

    def _table(self, number: int, config: MachineConfig) -> Any:
        checking.expect(type(number) is int and 0 <= number < len(self._lines), "table")
        if number not in self._tables:
            units, cells = config.association.units, config.retina.cells
            self._tables[number] = plugboard.from_lines(self._lines[number], units, cells)
        return self._tables[number]


def _load_sequencer(tree: Tree) -> Sequencer:
    tray = tree["tray"]
    if tray is not None:
        if "bits" in tray:
            bits = np.unpackbits(tray["bits"], axis=1, count=tray["cells"])
            tray = Tray(bits.astype(np.int32) * FULL_PPM, tray["targets"])
        else:
            tray = Tray(tray["lights"], tray["targets"])
    return Sequencer(**(tree | {"tray": tray}))
