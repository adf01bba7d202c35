"""The board's main loop: port in, motors, port out. Never waits for anything.

port.read() gives the bytes that are there (perhaps none); port.write(data) takes all of them.
"""


class Loop:
    """One turn at a time, so that a test can turn it too."""

    def __init__(self, port, link, rig) -> None:  # type: ignore[no-untyped-def]
        self.port = port
        self.link = link
        self.rig = rig
        self.polled_ms = -1

    def turn(self, now_ms: int) -> None:
        """One turn."""
        data = self.port.read()
        if data:
            self.link.receive(data, now_ms)
        if now_ms != self.polled_ms:
            self.polled_ms = now_ms
            self.rig.poll(self.link, now_ms)
        frame = self.link.output(now_ms)
        while frame:
            self.port.write(frame)
            frame = self.link.output(now_ms)
