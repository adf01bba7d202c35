/* Open-loop actuators (servos, digital potentiometers); plain C. The Python twin is in micropython/mark1_rig/motors.py.
 *
 * A channel moves when its turn comes: at most m1_safe.motors are in motion at once, by estimated travel time. Nothing
 * is driven before the first value of a session, nor after silence or a stop. m1_place(channel, position) is the sketch's;
 * position 0 means off. M1_TRAVEL_MS is the time over the whole travel; 0 for what moves at once.
 */
#ifndef MARK1_SERVOS_H
#define MARK1_SERVOS_H

static void m1_place(uint16_t channel, int16_t position);

typedef struct {
    int16_t position;
    uint16_t until_ms;
    uint8_t state : 4, known : 1;
} m1_servo;

static m1_servo m1_servos[M1_CHANNELS];
static uint16_t m1_servo_next;

static void m1_servos_begin(void) {
    uint16_t channel;
    memset(m1_servos, 0, sizeof m1_servos);
    m1_servo_next = 0;
    for (channel = 0; channel < M1_CHANNELS; channel++) m1_servos[channel].state = M1_OFF;
}

static void m1_servo_target(uint16_t channel) { m1_servos[channel].known = 1; }

static void m1_servos_all_off(void) {
    uint16_t channel;
    for (channel = 0; channel < M1_CHANNELS; channel++) {
        if (m1_servos[channel].position) m1_place(channel, 0);
        m1_servos[channel].position = 0;
        m1_servos[channel].state = M1_OFF;
    }
    m1_safe.moving = 0;
}

/* Nothing is driven before the first value of this session. */
static void m1_servos_session(void) {
    uint16_t channel;
    m1_servos_all_off();
    for (channel = 0; channel < M1_CHANNELS; channel++) m1_servos[channel].known = 0;
}

static void m1_servo_start(m1_servo *servo, uint16_t channel, int16_t wanted, uint32_t now_ms) {
    const int16_t span = M1_END_HIGH - M1_END_LOW;
    const int16_t distance = (int16_t)(servo->position ? abs(wanted - servo->position) : span);
    servo->position = wanted;
    servo->until_ms = (uint16_t)(now_ms + (M1_TRAVEL_MS ? 20 : 0) + (uint32_t)M1_TRAVEL_MS * (uint16_t)distance / (uint16_t)span);
    servo->state = M1_MOVING;
    m1_safe.moving++;
    m1_place(channel, wanted);
}

/* One channel in each turn of loop(): short, so that the port is never kept waiting. */
static void m1_servos_poll(uint32_t now_ms) {
    m1_servo *servo = &m1_servos[m1_servo_next];
    const uint16_t channel = m1_servo_next;
    int16_t wanted;
    if (m1_safe.stopped || m1_safe.silent) {
        m1_servos_all_off();
        return;
    }
    m1_servo_next = (uint16_t)((channel + 1) % M1_CHANNELS);
    if (servo->state == M1_MOVING && (int16_t)((uint16_t)now_ms - servo->until_ms) >= 0) {
        servo->state = M1_RESTING;
        m1_safe.moving--;
    }
    if (!servo->known || servo->state == M1_MOVING || m1_safe.moving >= m1_safe.motors) return;
    wanted = m1_to_actuator(channel, m1.values[channel]);
    if (wanted != servo->position) m1_servo_start(servo, channel, wanted, now_ms);
}

#endif
