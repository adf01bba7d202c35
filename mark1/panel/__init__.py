"""The panel: the Mark I on a screen. pygame lives here; it works from state() and facts alone."""
