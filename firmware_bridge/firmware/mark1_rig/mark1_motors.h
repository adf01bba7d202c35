/* Closed-loop motors with potentiometer feedback; plain C. The Python twin is micropython/mark1_rig/motors.py.
 *
 * One call per channel and sample. Safety: travel limits, most motors at once, stall, over-time, silence, stop; a knob
 * in a hand keeps its motor off. Leaves out the pins: m1_drive(channel, -1 0 1) is the sketch's.
 */
#ifndef MARK1_MOTORS_H
#define MARK1_MOTORS_H

#define M1_START_BAND 8
#define M1_STOP_BAND 2
#define M1_STALL_COUNTS 3
#define M1_RETRY_MS 5000u
#define M1_REVERSALS 3

static void m1_drive(uint16_t channel, int8_t way);

typedef struct {
    m1_hand hand;
    int16_t sample, mark;
    uint32_t since_ms, mark_ms;
    int8_t way;
    uint8_t state, reversals;
    uint8_t known : 1, fresh : 1, to_report : 1, freed : 1;
} m1_motor;

static m1_motor m1_motors[M1_CHANNELS];

static void m1_motors_begin(void) {
    uint16_t channel;
    memset(m1_motors, 0, sizeof m1_motors);
    for (channel = 0; channel < M1_CHANNELS; channel++) m1_motors[channel].state = M1_OFF;
}

static void m1_motor_state(m1_motor *motor, uint8_t state) {
    const uint8_t was = motor->state == M1_STALLED || motor->state == M1_OVERTIME;
    const uint8_t is = state == M1_STALLED || state == M1_OVERTIME;
    if (motor->state == M1_MOVING) m1_safe.moving--;
    if (state == M1_MOVING) m1_safe.moving++;
    m1_safe.faults = (uint16_t)(m1_safe.faults - was + is);
    motor->state = state;
}

/* A new place to go, by a new value or a new curve: a rested or stalled motor may try again. */
static void m1_motor_aim(uint16_t channel) {
    m1_motors[channel].reversals = 0;
    m1_motors[channel].fresh = 1;
}

static void m1_motor_target(uint16_t channel, uint8_t changed) {
    if (changed || !m1_motors[channel].known) m1_motor_aim(channel);
    m1_motors[channel].known = 1;
}

static void m1_motors_resume(void) {
    uint16_t channel;
    m1_safe.stopped = 0;
    for (channel = 0; channel < M1_CHANNELS; channel++)
        if (m1_motors[channel].state == M1_STALLED || m1_motors[channel].state == M1_OVERTIME)
            m1_motor_state(&m1_motors[channel], M1_RESTING);
}

static void m1_motor_off(uint16_t channel, uint8_t state, uint32_t now_ms) {
    m1_motor *motor = &m1_motors[channel];
    m1_drive(channel, 0);
    motor->way = 0;
    m1_motor_state(motor, state);
    motor->since_ms = now_ms;
    motor->fresh = 0;
    m1_hand_restart(&motor->hand, motor->sample, now_ms);
}

/* Nothing runs before the first value of this session; a knob that was reported to a host that is gone is reported again. */
static void m1_motors_session(uint32_t now_ms) {
    uint16_t channel;
    for (channel = 0; channel < M1_CHANNELS; channel++) {
        m1_motors[channel].known = 0;
        if (m1_motors[channel].way) m1_motor_off(channel, M1_OFF, now_ms);
        if (m1_motors[channel].hand.state == M1_REPORTED) m1_motors[channel].to_report = 1;
    }
}

static void m1_motor_moving(uint16_t channel, uint32_t now_ms) {
    m1_motor *motor = &m1_motors[channel];
    const int16_t sample = motor->sample;
    const int16_t ahead = (int16_t)((m1_to_actuator(channel, m1.values[channel]) - sample) * motor->way);
    if (m1_safe.stopped || m1_safe.silent) {
        m1_motor_off(channel, M1_OFF, now_ms);
    } else if (ahead <= M1_STOP_BAND) {
        if (ahead < -M1_START_BAND) motor->reversals++;
        m1_motor_off(channel, M1_RESTING, now_ms);
    } else if (now_ms - motor->since_ms >= m1_safe.overtime_ms) {
        m1_motor_off(channel, M1_OVERTIME, now_ms);
        m1_raise_event(M1_EVENT_OVERTIME, channel, m1_to_wire(channel, sample));
    } else if (abs(sample - motor->mark) >= M1_STALL_COUNTS) {
        motor->mark = sample;
        motor->mark_ms = now_ms;
    } else if (now_ms - motor->mark_ms >= m1_safe.stall_ms) {
        m1_motor_off(channel, M1_STALLED, now_ms);
        m1_raise_event(M1_EVENT_STALL, channel, m1_to_wire(channel, sample));
    }
}

static void m1_motor_start(uint16_t channel, int8_t way, uint32_t now_ms) {
    m1_motor *motor = &m1_motors[channel];
    motor->way = way;
    m1_motor_state(motor, M1_MOVING);
    motor->since_ms = motor->mark_ms = now_ms;
    motor->mark = motor->sample;
    m1_drive(channel, way);
}

/* A motor at rest: may it, and must it, start? */
static void m1_motor_consider(uint16_t channel, uint32_t now_ms) {
    m1_motor *motor = &m1_motors[channel];
    const uint8_t fault = motor->state == M1_STALLED || motor->state == M1_OVERTIME;
    int16_t error;
    if (motor->hand.state != M1_FREE) {
        m1_motor_state(motor, motor->hand.state == M1_HELD ? M1_IN_HAND : M1_WAS_REPORTED);
        return;
    }
    if (m1_safe.stopped || m1_safe.silent || !motor->known) {
        if (!fault) m1_motor_state(motor, M1_OFF);
        return;
    }
    if (fault && !(motor->fresh && now_ms - motor->since_ms >= M1_RETRY_MS)) return;
    error = (int16_t)(m1_to_actuator(channel, m1.values[channel]) - motor->sample);
    if (abs(error) <= M1_START_BAND || motor->reversals >= M1_REVERSALS) m1_motor_state(motor, M1_RESTING);
    else if (!m1_hand_quiet(&motor->hand, now_ms) || m1_safe.moving >= m1_safe.motors) m1_motor_state(motor, M1_WAITING);
    else m1_motor_start(channel, error > 0 ? 1 : -1, now_ms);
}

static void m1_motor_still(uint16_t channel, uint32_t now_ms) {
    m1_motor *motor = &m1_motors[channel];
    if (motor->freed) {
        motor->freed = 0;
        m1_hand_release(&motor->hand, motor->sample, now_ms);
    }
    if (m1_hand_look(&motor->hand, motor->sample, now_ms)) motor->to_report = 1;
    if (motor->to_report && motor->hand.state == M1_REPORTED)
        motor->to_report = !m1_raise_event(M1_EVENT_HAND, channel, m1_to_wire(channel, motor->sample));
    m1_motor_consider(channel, now_ms);
}

/* A new sample of one channel. */
static void m1_motor_sample(uint16_t channel, int16_t sample, uint32_t now_ms) {
    m1_motors[channel].sample = sample;
    if (m1_motors[channel].way) m1_motor_moving(channel, now_ms);
    else m1_motor_still(channel, now_ms);
}

/* All off at once, without waiting for the next samples. */
static void m1_motors_all_off(uint32_t now_ms) {
    uint16_t channel;
    for (channel = 0; channel < M1_CHANNELS; channel++)
        if (m1_motors[channel].way) m1_motor_off(channel, M1_OFF, now_ms);
}

#endif
