// Mark I rig: mirrors the values of a simulated Mark I Perceptron on real actuators. For Uno, Nano and Mega.
//
// Choose ONE back end and the number of channels, flash, and say "mark1 rig probe PORT". Wiring: docs/rig_wiring.md.
// The protocol is in PROTOCOL.md; safety (limits, stall, silence, stop) is in this firmware, not in the computer.

#define BACKEND_NONE 0     // no actuator: to try the link, or as a place to start your own
#define BACKEND_SERVO 1    // one servo on one pin (Uno and Nano: 9, Mega: 11), no library
#define BACKEND_PCA9685 2  // servos on PCA9685 boards, 16 each, by I2C
#define BACKEND_DIGIPOT 3  // MCP42xxx digital potentiometers, two channels each, by SPI
#define BACKEND_MOTORS 4   // DC motors with potentiometers: 74HC4067 to read, 74HC595 and H-bridges to drive

// ---- choose here ----
#ifndef BACKEND
#define BACKEND BACKEND_SERVO
#endif
#ifndef CHANNELS
#define CHANNELS 1
#endif
#ifndef BAUD
#define BAUD 115200  // or 250000, 500000; tell the host the same
#endif
#ifndef MOTORS_AT_ONCE
#define MOTORS_AT_ONCE 4  // what your power supply can start at once
#endif
#ifndef BUTTONS
#define BUTTONS 0  // 1: four buttons to ground: present, right, wrong, clear
#endif
#ifndef PHOTOCELLS
#define PHOTOCELLS 0  // how many, through 74HC4067s
#endif
#ifndef STOP_BUTTON
#define STOP_BUTTON 0  // 1: a normally closed switch from the stop pin to ground; open means stop
#endif
// ---------------------

#define M1_CHANNELS CHANNELS
// The largest frame is handled in 1.5 ms at most; what may arrive meanwhile must fit the 64-byte ring.
#define M1_WINDOW (BAUD > 250000 ? 141 : 160)
#include "pins.h"
#if BACKEND == BACKEND_SERVO
#include "backend_servo.h"
#elif BACKEND == BACKEND_PCA9685
#include "backend_pca9685.h"
#elif BACKEND == BACKEND_DIGIPOT
#include "backend_digipot.h"
#elif BACKEND == BACKEND_MOTORS
#include "backend_motors.h"
#else
#include "backend_none.h"
#endif
#include "inputs.h"
#include "watchdog.h"

void setup() {
  m1_begin(boot_cause());
  m1_hook_limits(0, 0, 0, 0);
  inputs_begin();
  backend_begin();
  Serial.begin(BAUD);
  watchdog_begin();
}

void loop() {
  const uint32_t now_ms = millis();
  wdt_reset();
  uint8_t frame[M1_OUT_FRAME], length, waiting = (uint8_t)Serial.available();
  if (waiting >= SERIAL_RX_BUFFER_SIZE - 1) m1.overruns++;
  while (waiting--) m1_receive((uint8_t)Serial.read(), now_ms);
  m1_watch_silence(now_ms);
  inputs_poll(now_ms);
  backend_poll(now_ms);
  length = m1_output(frame, (uint8_t)Serial.availableForWrite(), now_ms);
  if (length) Serial.write(frame, length);
}
