"""Builds the sketch with Debian's avr-gcc against Debian's Arduino core, and the simavr runner; caches by content.

Set MARK1_TOOLCHAIN=required (as .ci/run does) to turn "skipped, no toolchain" into a failure.
"""

import getpass
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FIRMWARE = HERE.parent.parent / "firmware_bridge" / "firmware"
SKETCH = FIRMWARE / "mark1_rig"
CORE = Path("/usr/share/arduino/hardware/arduino/avr")
CACHE = Path(os.environ.get("MARK1_BUILD_CACHE", tempfile.gettempdir())) / f"mark1-firmware-{getpass.getuser()}"
BOARDS = {
    "uno": ("atmega328p", "standard", "AVR_UNO"),
    "mega": ("atmega2560", "mega", "AVR_MEGA2560"),
}
FLAGS = ["-Os", "-w", "-ffunction-sections", "-fdata-sections", "-flto", "-fno-fat-lto-objects"]
FLAGS += ["-DF_CPU=16000000L", "-DARDUINO=10819", "-DARDUINO_ARCH_AVR", "-DDECIMAL_DIG=__DECIMAL_DIG__"]
BACKENDS = {"none": 0, "servo": 1, "pca9685": 2, "digipot": 3, "motors": 4}


def missing() -> str:
    """What is not installed here, or nothing."""
    tools = [tool for tool in ("avr-gcc", "avr-g++", "avr-objcopy", "gcc") if shutil.which(tool) is None]
    if not CORE.exists():
        tools.append("arduino-core-avr")
    if not _simavr_library():
        tools.append("libsimavr2")
    if not _simavr_headers():
        tools.append("libsimavr-dev (headers)")
    return ", ".join(tools)


def need() -> None:
    """Skips the test with a reason, or fails it where the toolchain is required."""
    lacking = missing()
    if lacking and os.environ.get("MARK1_TOOLCHAIN") == "required":
        pytest.fail(f"the toolchain is required here, and lacks: {lacking}")
    if lacking:
        pytest.skip(f"no AVR toolchain: {lacking}")


def _simavr_library() -> Path | None:
    found = sorted(Path("/usr/lib").glob("*/libsimavr.so*"))
    return found[0] if found else None


def _simavr_headers() -> Path | None:
    named = os.environ.get("MARK1_SIMAVR_INCLUDE")
    places = [Path(named)] if named else [Path("/usr/include/simavr"), CACHE / "dev/usr/include/simavr"]
    found = [place for place in places if (place / "sim_avr.h").exists()]
    return found[0] if found else _unpack_headers()


def _unpack_headers() -> Path | None:
    """libsimavr-dev pulls in Mesa when installed; its headers alone are enough, and so are those of libelf-dev."""
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        return None
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as place:
        fetched = subprocess.run(
            ["apt-get", "download", "-qq", "libsimavr-dev", "libelf-dev"], cwd=place, capture_output=True, timeout=60
        )
        if fetched.returncode:
            return None
        for package in Path(place).glob("*.deb"):
            subprocess.run(["dpkg", "-x", package, CACHE / "dev"], check=True)
    return CACHE / "dev/usr/include/simavr"


def _run(command: list[str | Path]) -> None:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(str(w) for w in command)}\n{done.stderr}"


def _fingerprint(*parts: object) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.read_bytes() if isinstance(part, Path) else str(part).encode())
    return digest.hexdigest()[:16]


def _core_archive(board: str) -> Path:
    mcu, variant, _ = BOARDS[board]
    sources = sorted((CORE / "cores/arduino").glob("*.c*"))
    sources += sorted((CORE / "libraries").glob("SPI/src/*.cpp"))
    sources += sorted((CORE / "libraries/Wire/src").rglob("*.c*"))
    place = CACHE / f"core-{board}-{_fingerprint(FLAGS, *sources)}"
    if (place / "done").exists():
        return place
    place.mkdir(parents=True, exist_ok=True)
    for source in sources:
        _compile(board, source, place / (source.name + ".o"))
    (place / "done").touch()
    return place


def _compile(board: str, source: Path, target: Path, defines: dict[str, object] | None = None) -> None:
    mcu, variant, name = BOARDS[board]
    cpp = source.suffix == ".cpp"
    language = ["avr-g++", "-std=gnu++11", "-fno-exceptions", "-fno-threadsafe-statics"] if cpp else ["avr-gcc"]
    include = [CORE / "cores/arduino", CORE / "variants" / variant, SKETCH]
    include += [CORE / "libraries" / library / "src" for library in ("SPI", "Wire")]
    includes = [f"-I{folder}" for folder in include] + [f"-I{CORE / 'libraries/Wire/src/utility'}"]
    given = [f"-D{key}={value}" for key, value in (defines or {}).items()]
    _run([*language, *FLAGS, f"-mmcu={mcu}", f"-DARDUINO_{name}", *includes, *given, "-c", source, "-o", target])


def sketch(board: str, backend: str, channels: int, **defines: object) -> Path:
    """The .elf of the sketch for a board, a back end and its settings."""
    ino = SKETCH / "mark1_rig.ino"
    settings = {"BACKEND": BACKENDS[backend], "CHANNELS": channels, **defines}
    return program(board, f'#line 1 "{ino}"\n{ino.read_text()}', **settings)


def program(board: str, text: str, **defines: object) -> Path:
    """The .elf (and beside it the .hex) of any sketch."""
    place = CACHE / f"sketch-{board}-{_fingerprint(text, defines, FLAGS, *sorted(SKETCH.iterdir()))}"
    if (place / "rig.elf").exists():
        return place / "rig.elf"
    core = _core_archive(board)
    place.mkdir(parents=True, exist_ok=True)
    source = place / "rig.cpp"
    source.write_text(f"#include <Arduino.h>\n{text}")
    _compile(board, source, place / "rig.o", defines)
    link = ["avr-gcc", *FLAGS, f"-mmcu={BOARDS[board][0]}", "-Wl,--gc-sections", "-fuse-linker-plugin"]
    _run([*link, "-o", place / "part.elf", place / "rig.o", *sorted(core.glob("*.o")), "-lm"])
    _run(["avr-objcopy", "-O", "ihex", "-R", ".eeprom", place / "part.elf", place / "rig.hex"])
    (place / "part.elf").rename(place / "rig.elf")
    return place / "rig.elf"


def bootloader(name: str) -> Path:
    """The .hex of a bootloader. Debian's own build of Optiboot is 532 bytes long and runs past the end of the flash, so
    it is built again from Debian's source into a boot section of 1 KB."""
    if name != "optiboot":
        return CORE / "bootloaders" / name
    source = CORE / "bootloaders/optiboot/optiboot.c"
    place = CACHE / f"optiboot-{_fingerprint(source)}"
    if not (place / "boot.hex").exists():
        place.mkdir(parents=True, exist_ok=True)
        options = ["-Os", "-w", "-mmcu=atmega328p", "-DF_CPU=16000000L", "-DBAUD_RATE=115200", "-DLED_START_FLASHES=3"]
        options += ["-fno-inline-small-functions", "-fno-split-wide-types", "-nostartfiles", "-nostdlib"]
        _run(["avr-gcc", *options, "-Wl,--section-start=.text=0x7c00", "-Wl,--relax", "-o", place / "boot.elf", source])
        _run(["avr-objcopy", "-O", "ihex", "-j", ".text", place / "boot.elf", place / "boot.hex"])
    return place / "boot.hex"


def memory(elf: Path) -> tuple[int, int]:
    """Bytes of flash and of RAM (static) that a sketch takes."""
    out = subprocess.run(["avr-size", str(elf)], capture_output=True, text=True, check=True).stdout
    text, data, bss = (int(word) for word in out.splitlines()[1].split()[:3])
    return text + data, data + bss


def place(elf: Path, name: str) -> tuple[int, int]:
    """Address and size of a function."""
    out = subprocess.run(["avr-nm", "-S", str(elf)], capture_output=True, text=True, check=True).stdout
    first, size = next(line.split()[:2] for line in out.splitlines() if line.endswith(f" {name}"))
    return int(first, 16), int(size, 16)


def native(source: Path, name: str, *flags: str) -> Path:
    """A program or library for this computer."""
    place = CACHE / f"native-{name}-{_fingerprint(flags, *sorted(HERE.glob('*.c')), *sorted(SKETCH.iterdir()))}"
    if not place.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        _run(["gcc", "-O2", "-Wall", "-Wextra", f"-I{SKETCH}", source, "-o", f"{place}.part", *flags])
        Path(f"{place}.part").rename(place)
    return place


def runner_library() -> Path:
    """The simavr runner as a shared library."""
    headers, library = _simavr_headers(), _simavr_library()
    assert headers is not None and library is not None
    return native(HERE / "simavr_runner.c", "runner.so", "-shared", "-fPIC", *_simavr_flags(headers, library))


def runner_program() -> Path:
    """The simavr runner as a program with a pty."""
    headers, library = _simavr_headers(), _simavr_library()
    assert headers is not None and library is not None
    return native(HERE / "simavr_program.c", "runner", *_simavr_flags(headers, library), "-lutil")


def _simavr_flags(headers: Path, library: Path) -> list[str]:
    return [f"-I{headers}", f"-I{headers.parent}", str(library), "-Wno-unused-parameter"]


def npm(package: str, version: str) -> Path:
    """The folder of an npm package, installed into the cache; without node or network skips, or fails if required."""
    place = CACHE / "npm" / f"{package.replace('/', '-')}-{version}"
    folder = place / "node_modules" / package
    if not folder.exists():
        reason = _install(place, f"{package}@{version}")
        if reason and os.environ.get("MARK1_TOOLCHAIN") == "required":
            pytest.fail(f"{package} is required here: {reason}")
        if reason:
            pytest.skip(f"{package} cannot be had: {reason}")
    return folder


def _install(place: Path, what: str) -> str:
    if shutil.which("node") is None or shutil.which("npm") is None:
        return "no node or npm"
    place.mkdir(parents=True, exist_ok=True)
    words = ["npm", "install", "--no-audit", "--no-fund", "--no-save", "--prefix", str(place), what]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    return done.stderr.strip()[-200:] if done.returncode else ""
