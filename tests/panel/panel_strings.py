"""Collects every string that the panel shows, by walking its source: what words() is given, and tables of texts."""

import ast
from pathlib import Path

import mark1.panel
from mark1.panel.provenance import PROVENANCE
from mark1.panel.refusals import REASONS, THINGS

ROOT = Path(mark1.panel.__file__).parent
APP = ROOT.parent / "app"
TABLES = {"STEPS", "KEYS", "title"}  # names of constants that hold texts
FURTHER = {
    "There is no place to keep files here.",
    "Kept as {name} in {folder}.",
    "Kept. The next time: mark1 --rig {file}",
    "Exported {name}, the chart and two tables to {folder}.",
    "R{r}: {n}, {kind} {most:,.0f}, margin {g:.2f}",
    "forced",
    "error correction",
    "spontaneous",
    "alpha",
    "beta",
    "gamma",
    "documented",
    "inferred",
    "chosen",
    "modern",
}


def strings() -> set[str]:
    """All msgids."""
    found = FURTHER | {source.text for source in PROVENANCE.values()} | {*REASONS, *THINGS}
    for path in [*ROOT.rglob("*.py"), APP / "run.py"]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _is_words(node.func) and node.args:
                found |= {t for t in _texts(node.args[0]) if t}
            if isinstance(node, ast.Assign) and _name(node.targets[0]) in TABLES and path.parent.name == "pages":
                found |= {t for t in _texts(node.value) if t}
            if isinstance(node, ast.Assign) and _name(node.targets[0]) == "text":
                found |= {t for t in _texts(node.value) if t}
    return found


def _name(target: ast.expr) -> str:
    return target.id if isinstance(target, ast.Name) else ""


def _is_words(func: ast.expr) -> bool:
    return (isinstance(func, ast.Name) and func.id == "words") or (
        isinstance(func, ast.Attribute) and func.attr == "words"
    )


def _texts(node: ast.expr) -> set[str]:
    if isinstance(node, ast.IfExp):
        return _texts(node.body) | _texts(node.orelse)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return {node.value}
    if isinstance(node, ast.Tuple | ast.List):
        return set().union(*(_texts(e) for e in node.elts)) if node.elts else set()
    return set()
