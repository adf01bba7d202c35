"""Must show 4: the report opens in headless Chromium without network; a screenshot is kept in out/."""

import io
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mark1 import cli

OUT = Path(__file__).parents[2] / "out"
QUIET = [
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9",
]  # fmt: skip


def chromium(profile, *words):
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert program, "headless Chromium is not installed"
    command = [program, *QUIET, f"--user-data-dir={profile}", *words]
    return subprocess.run(command, check=True, capture_output=True, timeout=120).stdout


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "separable.html"
    assert cli.main(["theory", "--toy", "separable", "--report", str(path)]) == 0
    return path


@pytest.mark.browser
def test_report_opens_without_network(report, tmp_path):
    dom = chromium(tmp_path / "profile", "--dump-dom", report.as_uri()).decode("utf-8")
    assert dom.count("<svg") == 10 and "Why it must end" in dom


@pytest.mark.browser
@pytest.mark.parametrize(("scheme", "dark"), [(1, False), (0, True)])
def test_report_is_drawn_light_and_dark(report, tmp_path, scheme, dark):
    shot = tmp_path / "shot.png"
    words = [f"--blink-settings=preferredColorScheme={scheme}", "--window-size=900,2600", f"--screenshot={shot}"]
    chromium(tmp_path / "profile", *words, report.as_uri())
    picture = np.asarray(Image.open(io.BytesIO(shot.read_bytes())).convert("L"))
    assert bool(picture[:20].mean() < 80) is dark  # the paper
    middle = picture[500:900, 150:750]
    assert np.mean(middle > 250) > 0.3  # the picture's own white paper in both
    OUT.mkdir(exist_ok=True)
    shutil.copy(shot, OUT / f"theory_report_{'dark' if dark else 'light'}.png")
