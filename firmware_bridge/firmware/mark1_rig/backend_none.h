// No actuator: the values are kept and answered for. A place to start your own back end.
#define M1_NAME BOARD_NAME " none"
#define M1_FEATURES FEATURE_INPUTS
#define M1_CALIBRATES 0
#define M1_MOTORS_LIMIT 0
#include "mark1_link.h"
#include "mark1_safety.h"
#include "reports.h"

static void m1_hook_target(uint16_t, uint8_t) {}
static void m1_hook_release(uint16_t) {}
static void m1_hook_session() {}
static void m1_hook_stop() { m1_safe.stopped = 1; }
static void m1_hook_resume() { m1_safe.stopped = 0; }
static uint8_t state_of(uint16_t) { return M1_RESTING; }
static uint8_t m1_hook_report(uint16_t cursor, uint8_t *payload, uint8_t *length, uint16_t *next) {
  if (cursor >= 2 * M1_CHANNELS) return report_light(cursor - 2 * M1_CHANNELS, payload, length, next);
  return report_states(cursor >= M1_CHANNELS ? cursor - M1_CHANNELS : cursor, payload, length, next, state_of);
}
static void backend_begin() {}
static void backend_cut() {}
static void backend_poll(uint32_t) {}
static void backend_sample(uint8_t, int16_t, uint32_t) {}
