"""How the laboratory's pictures look: one set of colours, markers and lines, safe for colour blindness and for print.

Colours are Okabe and Ito's; classes differ by marker and fill too, regions by hatching. matplotlib is imported only
when a picture is made, without pyplot and its global state: every function returns its own Figure.
Each drawn thing that means something carries a gid, so that tests and stylesheets can find it.
"""

import base64
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PLUS, MINUS = "#0072B2", "#D55E00"  # blue and vermilion: the two classes
INK, QUIET, FAINT = "#1b1b1b", "#6b6b6b", "#d9d9d9"
REGION, ACCENT, SECOND = "#009E73", "#CC79A7", "#E69F00"
STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 9.5,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9.5,
    "axes.labelcolor": INK,
    "axes.edgecolor": QUIET,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "mathtext.fontset": "dejavusans",
    "svg.fonttype": "path",
    "svg.hashsalt": "mark1",
    "hatch.linewidth": 0.6,
    "path.simplify": True,
}


@contextmanager
def drawing() -> Iterator[None]:
    """Applies the style while a picture is made; matplotlib's settings are as before afterwards."""
    import matplotlib

    with matplotlib.rc_context(STYLE):
        yield


def new_figure(width: float = 7.4, height: float = 3.6) -> Any:
    """An empty Figure with the Agg canvas; inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def svg(figure: Any) -> str:
    """The picture as SVG text without date, so that equal pictures are equal bytes."""
    buffer = io.StringIO()
    with drawing():
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    # The metadata block holds addresses of vocabularies; a page that promises no network should not name any.
    return re.sub(r"<metadata>.*?</metadata>\s*", "", text[text.index("<svg") :], flags=re.DOTALL)


def png(figure: Any, dpi: int = 150) -> bytes:
    """The picture as PNG bytes."""
    buffer = io.BytesIO()
    with drawing():
        figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": None})
    return buffer.getvalue()


def data_uri(figure: Any, dpi: int = 150) -> str:
    """The picture as a PNG data address, for pages where an SVG would be too heavy."""
    return "data:image/png;base64," + base64.b64encode(png(figure, dpi)).decode("ascii")


def draw_samples(ax: Any, X: Any, y: Any, *, size: float = 38) -> None:
    """The two classes: filled blue circles for +1, open vermilion squares for -1."""
    plus, minus = X[y > 0], X[y < 0]
    ax.scatter(*plus.T, s=size, marker="o", color=PLUS, edgecolors="white", linewidths=0.7, zorder=4, gid="plus")
    ax.scatter(*minus.T, s=size * 0.9, marker="s", facecolors="white", edgecolors=MINUS, linewidths=1.6, zorder=4,
               gid="minus")  # fmt: skip


def hatched(ax: Any, corners: Any, colour: str, gid: str) -> None:
    """A tinted, hatched region. Two patches: in SVG a hatch on a translucent face would vanish into it."""
    from matplotlib.patches import Polygon

    ax.add_patch(Polygon(corners, closed=True, facecolor=colour + "38", edgecolor="none", zorder=1))
    ax.add_patch(Polygon(corners, closed=True, facecolor="none", edgecolor=colour, hatch="///", lw=1.3, zorder=1.1,
                         gid=gid))  # fmt: skip


def square_window(ax: Any, reach: float) -> None:
    """Equal axes from -reach to +reach with the origin marked by thin lines."""
    ax.set_aspect("equal")
    ax.set_xlim(-reach, reach)
    ax.set_ylim(-reach, reach)
    ax.locator_params(nbins=6)
    ax.axhline(0, color=FAINT, lw=0.7, zorder=0)
    ax.axvline(0, color=FAINT, lw=0.7, zorder=0)


def line_through(ax: Any, normal: Any, value: float, reach: float, **style: Any) -> None:
    """The line normal . p = value, drawn far beyond the window."""
    length = float((normal[0] ** 2 + normal[1] ** 2) ** 0.5)
    if length == 0:
        return
    nx, ny = normal[0] / length, normal[1] / length
    foot, far = value / length, 4 * reach
    ax.plot([foot * nx - far * ny, foot * nx + far * ny], [foot * ny + far * nx, foot * ny - far * nx], **style)
