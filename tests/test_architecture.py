"""The rooms and their arrows: core <- neighbours <- clients <- app <- cli. A walk over every import, lazy or not."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STANDARD_CORE = {"numpy", "mark1"}  # beside the standard library
# Which rooms of the project a room may import. A room is a folder or a module right under mark1/ or firmware_bridge/.
NEIGHBOURS = {"savefile", "journal", "pace", "stimulus", "theory", "ledger"}
MAY_IMPORT = {
    "core": set(),
    "errors": {"core"},
    "commands": {"core"},
    "facts": {"core"},
    "savefile": {"core", "errors", "commands", "facts"},
    "journal": {"core", "errors", "commands", "facts"},
    "pace": {"core", "errors", "commands", "facts"},
    "ledger": {"errors"},
    "stimulus": {"core", "errors", "commands", "facts"},
    "theory": {"core", "errors"},
    "lab": {"core", "errors", "commands", "facts", *NEIGHBOURS},
    "panel": {"core", "errors", "commands", "facts", *NEIGHBOURS},
    "firmware_bridge": {"core", "errors", "commands", "facts", *NEIGHBOURS},
}
KNOW_ALL = {"app", "cli", "__main__", "__init__"}
ONE_PLACE = {  # a library that only one place may import
    "serial": ("firmware_bridge/port.py",),
    "PIL": ("mark1/stimulus/", "mark1/app/", "mark1/lab/"),
    "pygame": ("mark1/panel/", "mark1/app/"),
    "numba": ("mark1/core/loops.py",),
    "time": ("mark1/pace.py",),
}
LAZY = {"sklearn", "matplotlib", "numba", "distributed", "dask", "scipy", "clarabel", "joblib"}


def _files(folder):
    return sorted(path for path in (ROOT / folder).rglob("*.py") if "firmware/" not in path.as_posix())


def _room(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return "firmware_bridge" if parts[0] == "firmware_bridge" else parts[1]


def _modules(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            base = node.module or ""
            for alias in node.names:  # from mark1 import errors: the room is the name
                yield (f"{base}.{alias.name}" if base == "mark1" else base), node


def _top_level(tree):
    return {id(node) for node in tree.body}


ALL = [*_files("mark1"), *_files("firmware_bridge")]
PUBLIC = {"__init__"}  # `from mark1 import Mark1` is core by its public name


def _room_of_module(name):
    parts = name.split(".")
    if parts[0] == "firmware_bridge":
        return "firmware_bridge"
    if parts[0] != "mark1":
        return None
    if len(parts) == 1:
        return "core"
    known = {p.stem for p in (ROOT / "mark1").iterdir()}
    return parts[1] if parts[1] in known else "core"


@pytest.mark.parametrize("path", ALL, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_imports_follow_the_arrows(path):
    room = _room(path)
    if room in KNOW_ALL:
        return
    assert room in MAY_IMPORT, f"{room} is a room that the architecture does not know"
    for name, _ in _modules(ast.parse(path.read_text(encoding="utf-8"))):
        other = _room_of_module(name)
        assert other is None or other == room or other in MAY_IMPORT[room], f"{path.name} imports {name}"


@pytest.mark.parametrize("path", ALL, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_each_library_lives_in_its_room_and_heavy_ones_are_lazy(path):
    place = path.relative_to(ROOT).as_posix()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = _top_level(tree)
    for name, node in _modules(tree):
        library = name.split(".")[0]
        allowed = ONE_PLACE.get(library)
        assert allowed is None or place.startswith(allowed), f"{place} imports {library}"
        only_when_used = place == "mark1/core/loops.py"  # itself imported lazily
        assert library not in LAZY or only_when_used or id(node) not in top, f"{place} imports {library} at start-up"


@pytest.mark.parametrize("path", _files("mark1/core"), ids=lambda p: p.name)
def test_core_knows_the_standard_library_and_numpy_alone(path):
    import sys

    forbidden = {"os", "pathlib", "time", "datetime", "socket", "threading", "subprocess", "io", "tempfile", "random"}
    for name, _ in _modules(ast.parse(path.read_text(encoding="utf-8"))):
        library = name.split(".")[0]
        assert library in STANDARD_CORE or library in sys.stdlib_module_names or path.name == "loops.py"
        assert library not in forbidden, f"core/{path.name} knows {library}"


def test_core_neither_prints_nor_opens():
    for path in _files("mark1/core"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            assert called not in {"print", "open", "input"}, path.name


def test_no_file_is_longer_than_400_lines():
    long = {p.relative_to(ROOT).as_posix(): n for p in ALL if (n := p.read_text(encoding="utf-8").count("\n")) > 400}
    assert long == {}


def test_importing_the_package_loads_nothing_heavy():
    import subprocess
    import sys

    code = "import sys, mark1; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT).stdout.split())
    assert "numpy" in loaded
    assert not loaded & {"pygame", "PIL", "scipy", "sklearn", "matplotlib", "numba", "serial", "rich", "clarabel"}
