"""The board side in Python: runs on a Pico under MicroPython, and in the emulator."""
