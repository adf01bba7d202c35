"""The board's main loop: port in, motors, port out.

port.read() gives the bytes that are there (perhaps none); port.write(data) takes all of them. A Pico's port keeps the
board waiting for half a second when the host does not read: so there is one frame a turn, and the motors are looked
after between any two.
"""


class Loop:
    """One turn at a time, so that a test can turn it too."""

    def __init__(self, port, link, rig) -> None:  # type: ignore[no-untyped-def]
        self.port = port
        self.link = link
        self.rig = rig
        self.again = getattr(getattr(rig, "plant", None), "again", None)  # what wants to be written again and again
        self.polled_ms = -1

    def turn(self, now_ms: int) -> None:
        """One turn."""
        data = self.port.read()
        if data:
            self.link.receive(data, now_ms)
        if now_ms != self.polled_ms:
            self.polled_ms = now_ms
            self.rig.poll(self.link, now_ms)
            if self.again:
                self.again(now_ms)
        frame = self.link.output(now_ms)
        if frame:
            self.port.write(frame)
