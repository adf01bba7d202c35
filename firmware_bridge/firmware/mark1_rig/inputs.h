// Buttons, the stop switch, and the analogue scan (potentiometers first, then photocells on the next pins).
#ifndef INPUTS_H
#define INPUTS_H

#define DEBOUNCE_MS 30
#define MOTOR_PINS (BACKEND == BACKEND_MOTORS ? (CHANNELS + 15) / 16 : 0)
#define SCAN_PINS (MOTOR_PINS + (PHOTOCELLS + 15) / 16)
#if SCAN_PINS > ANALOG_PINS
#error "Too many potentiometers and photocells for this board's analogue pins."
#endif
#if !defined(__AVR_ATmega2560__) && ((BUTTONS && SCAN_PINS > 2) || (BACKEND == BACKEND_PCA9685 && SCAN_PINS > 4))
#error "On an Uno these analogue pins are taken by buttons (A2, A3) or I2C (A4, A5); use a Mega or fewer photocells."
#endif
#if SCAN_PINS
#include "analog_scan.h"
#endif

#if BUTTONS
static const uint8_t button_pins[4] = PINS_BUTTON;
static uint8_t button_down;           // bits: what was last reported
static uint16_t button_since_ms[4];   // since when the pin has differed from that
#endif

static void inputs_begin() {
#if BUTTONS
  for (uint8_t button = 0; button < 4; button++) pinMode(button_pins[button], INPUT_PULLUP);
#endif
#if STOP_BUTTON
  pinMode(PIN_STOP, INPUT_PULLUP);
#endif
#if SCAN_PINS
  scan_begin(SCAN_PINS);
#endif
}

#if BUTTONS
static void poll_button(uint8_t button, uint16_t now_ms) {
  const uint8_t down = !digitalRead(button_pins[button]), was = button_down >> button & 1;
  if (down == was) {
    button_since_ms[button] = now_ms;
  } else if ((uint16_t)(now_ms - button_since_ms[button]) >= DEBOUNCE_MS) {
    button_down ^= _BV(button);
    if (down) m1_raise_event(M1_EVENT_BUTTON, button, 1);
  }
}
#endif

static void inputs_poll(uint32_t now_ms) {
#if BUTTONS
  for (uint8_t button = 0; button < 4; button++) poll_button(button, (uint16_t)now_ms);
#endif
#if STOP_BUTTON
  if (digitalRead(PIN_STOP) && !m1_safe.stopped) {
    m1_hook_stop();
    m1_raise_event(M1_EVENT_STOPPED, 0, 0);
  }
#endif
#if SCAN_PINS
  uint8_t slot;
  int16_t value;
  if (!scan_poll(&slot, &value)) return;
#if PHOTOCELLS
  if (slot >= 16 * MOTOR_PINS && slot - 16 * MOTOR_PINS < PHOTOCELLS) light[slot - 16 * MOTOR_PINS] = (uint8_t)(value >> 2);
#endif
  backend_sample(slot, value, now_ms);
#else
  (void)now_ms;
#endif
}
#endif
