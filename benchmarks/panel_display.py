"""How long the panel takes to draw: all dials turning, at several sizes, beside plain draw calls.

SDL_FRAMEBUFFER_ACCELERATION=0 python benchmarks/panel_display.py
"""

from mark1.panel.selftest import measure

SIZES = ((1280, 720), (1920, 1080), (3840, 2160))


def main() -> None:
    """One line for each size and preset."""
    heads = ("size", "machine", "dials", "median ms", "p95 ms", "dials ms", "naive ms", "ratio")
    print(" ".join(f"{head:>{width}}" for head, width in zip(heads, (10, 9, 6, 10, 7, 9, 9, 6), strict=True)))
    for size in SIZES:
        result = measure(size)
        for name in ("HISTORIC", "EXPANDED"):
            r = result[name]
            print(
                f"{size[0]:>5}x{size[1]:<4} {name:>9} {r['dials']:>6,} {r['median_ms']:>10.2f} {r['p95_ms']:>7.2f}"
                f" {r['dials_ms']:>9.2f} {r['naive_ms']:>9.2f} {r['ratio_to_naive']:>6.1f}"
            )


if __name__ == "__main__":
    main()
