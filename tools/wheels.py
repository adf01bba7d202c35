"""Checks that every core dependency resolves as a wheel where our users are: no user ever needs a compiler.

Asks pip to resolve for each platform, wheels only, without installing anything. Run by .ci/run.
"""

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

PLATFORMS = {
    "Windows": ["win_amd64"],
    "macOS, Intel": ["macosx_10_13_x86_64", "macosx_11_0_x86_64", "macosx_12_0_x86_64", "macosx_14_0_x86_64"],
    "macOS, Apple": ["macosx_11_0_arm64", "macosx_12_0_arm64", "macosx_14_0_arm64"],
    "Linux aarch64": [f"manylinux_2_{n}_aarch64" for n in (17, 27, 28)] + ["manylinux2014_aarch64"],
}
VERSION = "3.12"


def main() -> int:
    """0 if all platforms resolve."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    failed = [name for name, tags in PLATFORMS.items() if not _resolves(name, tags, project["dependencies"])]
    return 1 if failed else 0


def _resolves(name: str, tags: list[str], dependencies: list[str]) -> bool:
    platforms = [word for tag in tags for word in ("--platform", tag)]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--dest", folder,
                   "--only-binary", ":all:", "--python-version", VERSION, *platforms, *dependencies]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True)
    sys.stdout.write(f"{name}: {'wheels for all' if done.returncode == 0 else done.stderr.strip().splitlines()[-1]}\n")
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
