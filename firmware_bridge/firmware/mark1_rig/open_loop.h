// What the three back ends without feedback share. Needs M1_NAME, M1_MOTORS_LIMIT, M1_END_LOW, M1_END_HIGH, M1_TRAVEL_MS,
// M1_AGAIN_MS.
#define M1_FEATURES (8 | FEATURE_INPUTS)
#define M1_CALIBRATES 1
#include "mark1_link.h"
#include "mark1_safety.h"
#include "mark1_servos.h"
#include "reports.h"

static void m1_hook_target(uint16_t channel, uint8_t) { m1_servo_target(channel); }
static void m1_hook_calibrate(uint16_t) {}
static void m1_hook_release(uint16_t) {}
static void m1_hook_session() { m1_servos_session(); }
static void m1_hook_stop() {
  m1_safe.stopped = 1;
  m1_servos_all_off();
}
static void m1_hook_resume() { m1_safe.stopped = 0; }
static uint8_t state_of(uint16_t channel) { return m1_servos[channel].state; }
static uint8_t m1_hook_report(uint16_t cursor, uint8_t *payload, uint8_t *length, uint16_t *next) {
  if (cursor >= 2 * M1_CHANNELS) return report_light(cursor - 2 * M1_CHANNELS, payload, length, next);
  return report_states(cursor >= M1_CHANNELS ? cursor - M1_CHANNELS : cursor, payload, length, next, state_of);
}
static void backend_poll(uint32_t now_ms) { m1_servos_poll(now_ms); }
static void backend_sample(uint8_t, int16_t, uint32_t) {}
