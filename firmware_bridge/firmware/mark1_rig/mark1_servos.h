/* Open-loop actuators (servos, digital potentiometers); plain C. The Python twin is in micropython/mark1_rig/motors.py.
 *
 * A channel moves when its turn comes: at most m1_safe.motors are in motion at once, by estimated travel time. Nothing
 * is driven before the first value of a session, nor after silence or a stop. The sketch's: m1_place(channel, position),
 * position 0 means off, gives 0 when nothing answered; m1_wake(channel) makes its chip ready (again).
 * M1_TRAVEL_MS is the time over the whole travel; 0 for what moves at once. M1_AGAIN_MS: a chip on a bus may miss a word
 * or lose its power, so in turns of so long one channel is written again, or those that failed are; 0 for no bus.
 */
#ifndef MARK1_SERVOS_H
#define MARK1_SERVOS_H

static uint8_t m1_place(uint16_t channel, int16_t position);
#if M1_AGAIN_MS
static uint8_t m1_wake(uint16_t channel);
#endif

typedef struct {
    int16_t position; /* what was written and answered for */
    uint16_t until_ms;
    uint8_t state : 4, known : 1, failed : 1;
} m1_servo;

static m1_servo m1_servos[M1_CHANNELS];
static uint16_t m1_servo_next;
static uint8_t m1_servos_driven; /* since all were switched off */
#if M1_AGAIN_MS
static uint16_t m1_servo_again[2], m1_servo_again_ms; /* the next of all, and of those that failed */
static uint8_t m1_servo_mend;
#endif

static void m1_servos_begin(void) {
    uint16_t channel;
    memset(m1_servos, 0, sizeof m1_servos);
    m1_servo_next = 0;
    for (channel = 0; channel < M1_CHANNELS; channel++) m1_servos[channel].state = M1_OFF;
}

static void m1_servo_target(uint16_t channel) { m1_servos[channel].known = 1; }

/* 0 when nothing answered: the old position is kept, and so is the wish to write. Such a channel says "waiting". */
static uint8_t m1_servo_write(uint16_t channel, int16_t position) {
    m1_servo *servo = &m1_servos[channel];
#if M1_AGAIN_MS
    const uint8_t wake = servo->failed || channel % M1_PER_CHIP == 0;
    const uint8_t failed = !((!wake || m1_wake(channel)) && m1_place(channel, position));
    m1_safe.faults = (uint16_t)(m1_safe.faults - servo->failed + failed);
    servo->failed = failed & 1;
    if (failed) {
        if (servo->state == M1_MOVING) m1_safe.moving--;
        servo->state = M1_WAITING;
        return 0;
    }
#else
    m1_place(channel, position);
#endif
    servo->position = position;
    return 1;
}

static void m1_servo_off(uint16_t channel) {
    if (m1_servo_write(channel, 0)) m1_servos[channel].state = M1_OFF;
}

static void m1_servos_all_off(void) {
    uint16_t channel;
    for (channel = 0; channel < M1_CHANNELS; channel++)
        if (m1_servos[channel].position || m1_servos[channel].failed) m1_servo_off(channel);
        else m1_servos[channel].state = M1_OFF;
    m1_servos_driven = m1_safe.moving = 0;
}

/* Nothing is driven before the first value of this session. */
static void m1_servos_session(void) {
    uint16_t channel;
    m1_servos_all_off();
    for (channel = 0; channel < M1_CHANNELS; channel++) m1_servos[channel].known = 0;
}

static void m1_servo_start(uint16_t channel, int16_t wanted, uint32_t now_ms) {
    m1_servo *servo = &m1_servos[channel];
    const int16_t span = M1_END_HIGH - M1_END_LOW;
    const int16_t distance = (int16_t)(servo->position && !servo->failed ? abs(wanted - servo->position) : span);
    m1_servos_driven = 1;
    if (!m1_servo_write(channel, wanted)) return;
    servo->until_ms = (uint16_t)(now_ms + (M1_TRAVEL_MS ? 20 : 0) + (uint32_t)M1_TRAVEL_MS * (uint16_t)distance / (uint16_t)span);
    servo->state = M1_MOVING;
    m1_safe.moving++;
}

/* Follows one channel's value; those that failed only when again says so. */
static void m1_servo_follow(uint16_t channel, uint32_t now_ms, uint8_t again) {
    m1_servo *servo = &m1_servos[channel];
    int16_t wanted;
    if (servo->state == M1_MOVING && (int16_t)((uint16_t)now_ms - servo->until_ms) >= 0) {
        servo->state = M1_RESTING;
        m1_safe.moving--;
    }
    if (!servo->known || servo->state == M1_MOVING || m1_safe.moving >= m1_safe.motors || (servo->failed && !again)) return;
    wanted = m1_to_actuator(channel, m1.values[channel]);
    if (wanted != servo->position || servo->failed) m1_servo_start(channel, wanted, now_ms);
}

#if M1_AGAIN_MS
static void m1_servo_write_again(uint16_t channel, uint8_t off, uint32_t now_ms) {
    m1_servo *servo = &m1_servos[channel];
    if (off || !servo->known) m1_servo_off(channel);
    else if (servo->failed) m1_servo_follow(channel, now_ms, 1);
    else m1_servo_write(channel, servo->position);
}

/* In turns: one channel, whatever it says; and all that failed, until one fails again. A dead bus so costs one time-out
 * of the wire each time. */
static void m1_servos_write_again(uint8_t off, uint32_t now_ms) {
    const uint8_t mend = m1_servo_mend = !m1_servo_mend;
    uint16_t left = mend ? M1_CHANNELS : 1, channel;
    while (left--) {
        channel = m1_servo_again[mend];
        m1_servo_again[mend] = (uint16_t)((channel + 1) % M1_CHANNELS);
        if (mend && !m1_servos[channel].failed) continue;
        m1_servo_write_again(channel, off, now_ms);
        if (m1_servos[channel].failed) return;
    }
}
#endif

/* One channel in each turn of loop(): short, so that the port is never kept waiting. */
static void m1_servos_poll(uint32_t now_ms) {
    const uint8_t off = m1_safe.stopped || m1_safe.silent;
    if (off && m1_servos_driven) m1_servos_all_off();
#if M1_AGAIN_MS
    if ((uint16_t)((uint16_t)now_ms - m1_servo_again_ms) >= M1_AGAIN_MS) {
        m1_servo_again_ms = (uint16_t)now_ms;
        m1_servos_write_again(off, now_ms);
        return;
    }
#endif
    if (off) return;
    m1_servo_follow(m1_servo_next, now_ms, 0);
    m1_servo_next = (uint16_t)((m1_servo_next + 1) % M1_CHANNELS);
}

#endif
