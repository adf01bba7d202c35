"""What runs on boards: the Arduino sketch with its C headers, and the MicroPython version."""
