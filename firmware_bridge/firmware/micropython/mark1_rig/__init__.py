"""The board side in Python: runs on a Pico or ESP32 under MicroPython, and in the emulator."""
