"""The rule that tells drift from a hand, for one potentiometer. The C twin is mark1_hand.h; docs/rig.md has the words.

Motor off: the rule looks only while the motor has been off for SETTLE_MS. Speed and size: SIZE counts within WINDOW_MS
is a hand; slower is drift. Dwell: a held knob that rests for DWELL_MS is reported. Counts are of a 10-bit converter.
"""

SETTLE_MS = 300  # after the motor stops, it may still coast
HALF_WINDOW_MS = 250  # SIZE within this time is always a hand, SIZE in more than twice this time never is
SIZE = 24  # chosen: 2.3 % of travel, ten times the noise of a 10-bit converter
STILL = 6  # less than this is noise
QUIET_MS = 150  # moved, but too slowly or too little for a hand, and at rest so long: drift, the motor may correct it
DWELL_MS = 700

FREE, HELD, REPORTED = 0, 1, 2


class Hand:
    """What is known of one knob while its motor is off."""

    def __init__(self) -> None:
        self.state = FREE
        self.seen = False
        self.restart(0, 0)

    def restart(self, sample: int, now_ms: int) -> None:
        """The motor ran, or the knob was released: from here on, movement is measured from this sample."""
        self.old = self.new = self.still = sample
        self.window_ms = self.still_ms = self.off_ms = now_ms

    def look(self, sample: int, now_ms: int) -> bool:
        """Takes one sample with the motor off; True at the moment when a held knob has come to rest."""
        if not self.seen:
            self.seen = True
            self.restart(sample, now_ms)
        if abs(sample - self.still) > (2 * STILL if self.state == REPORTED else STILL):
            self.still, self.still_ms = sample, now_ms
            if self.state == REPORTED:
                self.state = HELD
        if self.state == FREE:
            self._free(sample, now_ms)
        elif self.state == HELD and now_ms - self.still_ms >= DWELL_MS:
            self.state = REPORTED
            return True
        return False

    def _free(self, sample: int, now_ms: int) -> None:
        if now_ms - self.off_ms < SETTLE_MS:
            self.old = self.new = self.still = sample
            self.window_ms = self.still_ms = now_ms
            return
        if abs(sample - self.old) >= SIZE or abs(sample - self.new) >= SIZE:
            self.state = HELD
            self.still, self.still_ms = sample, now_ms
        elif now_ms - self.window_ms >= HALF_WINDOW_MS:
            self.old, self.new, self.window_ms = self.new, sample, now_ms

    def quiet(self, now_ms: int) -> bool:
        """May the motor start? Not while the knob is in a hand, nor while something is turning it."""
        return self.state == FREE and now_ms - self.still_ms >= QUIET_MS

    def release(self, sample: int, now_ms: int) -> None:
        """The host has taken the report; the motor may follow the value again."""
        if self.state == REPORTED:
            self.state = FREE
            self.restart(sample, now_ms)
