// Why the board started, from the reset flags, saved before anything can clear them.
// A bootloader that clears the flags first leaves 0: "unknown". The host then goes by what it saw (docs/rig.md).
#ifndef BOOT_CAUSE_H
#define BOOT_CAUSE_H
#include <avr/wdt.h>

#define BOOT_BY_WATCHDOG 0x1960  // left by watchdog.h, which sets no reset flag

static uint8_t boot_flags __attribute__((section(".noinit")));
static uint16_t boot_by_watchdog __attribute__((section(".noinit")));

extern "C" void save_boot_flags(void) __attribute__((naked, used, section(".init3")));
extern "C" void save_boot_flags(void) {
  boot_flags = MCUSR;
  MCUSR = 0;
  wdt_disable();
}

static uint8_t boot_cause() {
  const bool hung = !boot_flags && boot_by_watchdog == BOOT_BY_WATCHDOG;
  boot_by_watchdog = 0;
  if (hung) return 4;
  if (boot_flags & _BV(PORF)) return 1;
  if (boot_flags & _BV(BORF)) return 3;
  if (boot_flags & _BV(WDRF)) return 4;
  return boot_flags & _BV(EXTRF) ? 2 : 0;
}
#endif
