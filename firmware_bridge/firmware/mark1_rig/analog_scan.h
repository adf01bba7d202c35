// Reads many potentiometers and photocells through 74HC4067s without ever waiting for the converter.
// Slot = 16 * (analogue pin) + (multiplexer address). All multiplexers share their address pins.
#ifndef ANALOG_SCAN_H
#define ANALOG_SCAN_H

#define SCAN_SETTLE_US 60  // multiplexer and wiper resistance into the sample capacitor, with margin

static const uint8_t scan_address_pins[4] = PINS_MUX_ADDRESS;
static uint8_t scan_pin, scan_address, scan_pins, scan_busy;
static uint16_t scan_since_us;

static void scan_select(uint8_t address) {
  for (uint8_t bit = 0; bit < 4; bit++) digitalWrite(scan_address_pins[bit], address >> bit & 1);
  scan_since_us = (uint16_t)micros();
}

static void scan_begin(uint8_t pins) {
  for (uint8_t bit = 0; bit < 4; bit++) pinMode(scan_address_pins[bit], OUTPUT);
  scan_pins = pins;
  scan_pin = scan_address = scan_busy = 0;
  scan_select(0);
}

static void scan_start_conversion() {
  ADMUX = _BV(REFS0) | (scan_pin & 7);
#ifdef MUX5
  ADCSRB = (ADCSRB & ~_BV(MUX5)) | (scan_pin & 8 ? _BV(MUX5) : 0);
#endif
  ADCSRA |= _BV(ADSC);
  scan_busy = 1;
}

// True when a sample is there: slot and value are filled, and the next one is under way.
static bool scan_poll(uint8_t *slot, int16_t *value) {
  if (!scan_busy) {
    if ((uint16_t)((uint16_t)micros() - scan_since_us) >= SCAN_SETTLE_US) scan_start_conversion();
    return false;
  }
  if (ADCSRA & _BV(ADSC)) return false;
  *value = (int16_t)ADC;
  *slot = (uint8_t)(16 * scan_pin + scan_address);
  scan_busy = 0;
  if (++scan_pin >= scan_pins) {
    scan_pin = 0;
    scan_address = (scan_address + 1) & 15;
    scan_select(scan_address);
  } else {
    scan_start_conversion();
  }
  return true;
}
#endif
