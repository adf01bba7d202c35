/* Limits, calibration and the stop: what all actuators share; plain C. Include after mark1_link.h.
 *
 * Define before including: M1_END_LOW, M1_END_HIGH (travel in the actuator's own units; the firmware's hard limits).
 */
#ifndef MARK1_SAFETY_H
#define MARK1_SAFETY_H

enum { M1_RESTING, M1_MOVING, M1_IN_HAND, M1_WAS_REPORTED, M1_STALLED, M1_OVERTIME, M1_OFF, M1_WAITING };

#define M1_END_MIDDLE ((M1_END_LOW + M1_END_HIGH) / 2)
#ifndef M1_SILENCE_MS
#define M1_SILENCE_MS 2000u
#endif
#ifndef M1_STALL_MS
#define M1_STALL_MS 400u
#endif
#ifndef M1_OVERTIME_MS
#define M1_OVERTIME_MS 12000u
#endif

typedef struct {
    uint8_t motors, stopped, silent, moving;
    uint16_t faults; /* channels */
    uint16_t silence_ms, stall_ms, overtime_ms;
} m1_safety;

static m1_safety m1_safe;

static uint16_t m1_stricter(uint16_t asked, uint16_t own) { return asked && asked < own ? asked : own; }

/* The host may only be stricter than the firmware; 0 means the firmware's own. */
static void m1_hook_limits(uint8_t motors, uint16_t silence_ms, uint16_t stall_ms, uint16_t overtime_ms) {
    m1_safe.motors = (uint8_t)m1_stricter(motors, M1_MOTORS_LIMIT);
    m1_safe.silence_ms = m1_stricter(silence_ms, M1_SILENCE_MS);
    m1_safe.stall_ms = m1_stricter(stall_ms, M1_STALL_MS);
    m1_safe.overtime_ms = m1_stricter(overtime_ms, M1_OVERTIME_MS);
}

static uint8_t m1_hook_at_once(void) { return m1_safe.motors; }
static uint8_t m1_hook_moving(void) { return m1_safe.moving; }
static uint8_t m1_hook_flags(void) {
    return (uint8_t)((m1_safe.stopped ? M1_FLAG_STOPPED : 0) | (m1_safe.faults ? M1_FLAG_FAULT : 0) |
                     (m1_safe.silent ? M1_FLAG_SILENT : 0));
}

/* Nothing may move without a live session. Latched until a frame of a session comes: the difference alone wraps round, and
 * after 49.7 days with no host it would be small again. */
static void m1_watch_silence(uint32_t now_ms) {
    if (!m1.open || now_ms - m1.heard_ms > m1_safe.silence_ms) m1_safe.silent = 1;
    else if (m1.heard) m1_safe.silent = 0;
    m1.heard = 0;
}

#if M1_CALIBRATES
static int16_t m1_within(uint16_t end) {
    return (int16_t)(end < M1_END_LOW ? M1_END_LOW : end > M1_END_HIGH ? M1_END_HIGH : end);
}

/* The channel's curve within the hard limits; all zero means: not calibrated. */
static void m1_curve(uint16_t channel, int16_t *low, int16_t *middle, int16_t *high) {
    const uint16_t *ends = m1.calibration[channel];
    const uint8_t own = ends[0] || ends[1] || ends[2];
    *low = own ? m1_within(ends[0]) : M1_END_LOW;
    *middle = own ? m1_within(ends[1]) : M1_END_MIDDLE;
    *high = own ? m1_within(ends[2]) : M1_END_HIGH;
}

/* Wire value to the actuator's units. */
static int16_t m1_to_actuator(uint16_t channel, int16_t value) {
    int16_t low, middle, high;
    m1_curve(channel, &low, &middle, &high);
    return (int16_t)(middle + (int32_t)(value >= 0 ? high - middle : middle - low) * value / 32767);
}

/* The actuator's units to a wire value. */
static int16_t m1_to_wire(uint16_t channel, int16_t position) {
    int16_t low, middle, high, away, span;
    uint8_t upper;
    int32_t size;
    m1_curve(channel, &low, &middle, &high);
    away = (int16_t)(position - middle);
    upper = (away >= 0) == (high >= middle);
    span = (int16_t)(upper ? high - middle : middle - low);
    if (span == 0) return 0;
    size = (int32_t)abs(away) * 32767 / abs(span);
    if (size > 32767) size = 32767;
    return (int16_t)(upper ? size : -size);
}
#endif

#endif
