// MCP42xxx digital potentiometers: two channels a chip, one chip select each (Microchip MCP41XXX/42XXX data sheet).
#include <SPI.h>
#define M1_NAME BOARD_NAME " digipot"
#define M1_MOTORS_LIMIT 255  // nothing turns
#define M1_END_LOW 1         // tap 0
#define M1_END_HIGH 256      // tap 255
#define M1_AGAIN_MS 0
#define M1_TRAVEL_MS 0
#include "open_loop.h"

static const uint8_t digipot_select[] = PINS_DIGIPOT_CS;
#if CHANNELS > 64 || (CHANNELS > 16 && !defined(__AVR_ATmega2560__))
#error "Too many digital potentiometers for this board's chip selects."
#endif

static uint8_t m1_place(uint16_t channel, int16_t position) {
  if (!position) return 1;  // silence or stop: a digital potentiometer holds what it has
  const uint8_t pin = digipot_select[channel / 2];
  SPI.beginTransaction(SPISettings(4000000, MSBFIRST, SPI_MODE0));
  digitalWrite(pin, LOW);
  SPI.transfer((uint8_t)(channel % 2 ? 0x12 : 0x11));  // write data, potentiometer 1 or 0
  SPI.transfer((uint8_t)(position - 1));
  digitalWrite(pin, HIGH);
  SPI.endTransaction();
  return 1;
}

static void backend_cut() {}  // nothing turns

static void backend_begin() {
  m1_servos_begin();
  for (uint8_t chip = 0; chip < (CHANNELS + 1) / 2; chip++) {
    digitalWrite(digipot_select[chip], HIGH);
    pinMode(digipot_select[chip], OUTPUT);
  }
  SPI.begin();
}
