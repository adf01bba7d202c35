"""Pages that lie over the panel for a while: the drawer, help, machine files, the loupe, the plugboard."""
