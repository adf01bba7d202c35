// If loop() hangs for two seconds (the limit for a silent host): outputs off, and from the start.
// By the watchdog's interrupt and a jump, not by its reset: after that many bootloaders (old Nano, many Megas) reset
// for ever (docs/decisions/bridge.md). Left out: a hang with interrupts off. Needs the back end's backend_cut().
#ifndef WATCHDOG_H
#define WATCHDOG_H
#include "boot_cause.h"

ISR(WDT_vect) {
  backend_cut();
  WDTCSR = _BV(WDCE) | _BV(WDE);
  WDTCSR = 0;
  UCSR0B = TWCR = ADCSRA = TIMSK0 = 0;  // no interrupt of before may come after
  boot_by_watchdog = BOOT_BY_WATCHDOG;
  asm volatile("jmp 0");
}

static void watchdog_begin() {
  cli();
  wdt_reset();
  WDTCSR = _BV(WDCE) | _BV(WDE);
  WDTCSR = _BV(WDIE) | _BV(WDP2) | _BV(WDP1) | _BV(WDP0);  // interrupt only, 2 s
  sei();
}
#endif
