"""MicroPython files: copy main.py and the folder mark1_rig to the board."""
