// DC motors with potentiometers: positions through 74HC4067s, two bits a motor through 74HC595s to H-bridges.
// Motor 0 is on the first register's lowest two bits: 01 up, 10 down, 00 off.
#include <SPI.h>
#define M1_NAME BOARD_NAME " motors"
#define M1_FEATURES (1 | 8 | FEATURE_INPUTS)
#define M1_CALIBRATES 1
#define M1_MOTORS_LIMIT MOTORS_AT_ONCE
#define M1_END_LOW 20
#define M1_END_HIGH 1003
#include "mark1_link.h"
#include "mark1_hand.h"
#include "mark1_safety.h"
#include "mark1_motors.h"
#include "reports.h"

#if CHANNELS > 64
#error "At most 64 motors on one board."
#endif
#define BRIDGE_BYTES ((CHANNELS + 3) / 4)
#define BRIDGE_AGAIN_MS 20  // written again, so that a disturbed register lasts no longer

static uint8_t bridge[BRIDGE_BYTES];
static uint8_t bridge_changed;
static uint16_t bridge_ms;

static void m1_drive(uint16_t channel, int8_t way) {
  const uint8_t shift = (uint8_t)(2 * (channel % 4));
  uint8_t *bits = &bridge[channel / 4];
  *bits = (uint8_t)((*bits & ~(3 << shift)) | ((way > 0 ? 1 : way < 0 ? 2 : 0) << shift));
  bridge_changed = 1;
}

static void bridge_write() {
  for (uint8_t byte = BRIDGE_BYTES; byte--;) SPI.transfer(bridge[byte]);
  digitalWrite(PIN_LATCH, HIGH);
  digitalWrite(PIN_LATCH, LOW);
  bridge_changed = 0;
  bridge_ms = (uint16_t)millis();
}

static void m1_hook_target(uint16_t channel, uint8_t changed) { m1_motor_target(channel, changed); }
static void m1_hook_calibrate(uint16_t channel) { m1_motor_aim(channel); }
static void m1_hook_release(uint16_t channel) {
  if (channel < M1_CHANNELS) m1_motors[channel].freed = 1;
}
static void m1_hook_session() { m1_motors_session(m1.heard_ms); }
static void m1_hook_stop() {
  m1_safe.stopped = 1;
  m1_motors_all_off(millis());
  bridge_write();
}
static void m1_hook_resume() { m1_motors_resume(); }
static uint8_t state_of(uint16_t channel) { return m1_motors[channel].state; }

static uint8_t report_measured(uint16_t cursor, uint8_t *payload, uint8_t *length, uint16_t *next) {
  uint8_t *at = m1_put16(payload, cursor), left = M1_VALUES_PER_REPLY;
  for (; left-- && cursor < M1_CHANNELS; cursor++) at = m1_put16(at, (uint16_t)m1_to_wire(cursor, m1_motors[cursor].sample));
  *length = (uint8_t)(at - payload);
  *next = cursor;
  return 0x34;
}

static uint8_t m1_hook_report(uint16_t cursor, uint8_t *payload, uint8_t *length, uint16_t *next) {
  if (cursor < M1_CHANNELS) return report_measured(cursor, payload, length, next);
  if (cursor < 2 * M1_CHANNELS) return report_states(cursor - M1_CHANNELS, payload, length, next, state_of);
  return report_light(cursor - 2 * M1_CHANNELS, payload, length, next);
}

// A sample of slot, which is this channel's potentiometer.
static void backend_sample(uint8_t slot, int16_t value, uint32_t now_ms) {
  if (slot < M1_CHANNELS) m1_motor_sample(slot, value, now_ms);
}

// In the watchdog's interrupt: calls nothing that may be what hangs.
static void backend_cut() {
  *portOutputRegister(digitalPinToPort(PIN_MOTORS_ENABLE)) |= digitalPinToBitMask(PIN_MOTORS_ENABLE);
}

static void backend_begin() {
  m1_motors_begin();
  digitalWrite(PIN_MOTORS_ENABLE, HIGH);
  pinMode(PIN_MOTORS_ENABLE, OUTPUT);
  pinMode(PIN_LATCH, OUTPUT);
  SPI.begin();
  bridge_write();
  digitalWrite(PIN_MOTORS_ENABLE, LOW);
}

static void backend_poll(uint32_t now_ms) {
  if (m1_safe.silent || m1_safe.stopped) m1_motors_all_off(now_ms);
  if (bridge_changed || (uint16_t)((uint16_t)now_ms - bridge_ms) >= BRIDGE_AGAIN_MS) bridge_write();
}
