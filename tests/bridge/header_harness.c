/* Runs the board's plain-C headers on this computer, under the sanitizers: reads operations, writes what came out.
 *
 * Operations, little endian: now u32, kind u8, size u16, data. kind 'R': bytes from the host. kind 'S': samples, two
 * bytes each, one per channel. Answer: size u16, all frames that came out; then for 'S' the way of every motor.
 * At the end: every value, two bytes each.
 */
#include <stdio.h>
#include <stdlib.h>

#define M1_CHANNELS 40
#define M1_NAME "harness"
#ifdef HARNESS_MOTORS
#undef M1_CHANNELS
#define M1_CHANNELS 8
#define M1_FEATURES 9
#define M1_CALIBRATES 1
#define M1_MOTORS_LIMIT 4
#define M1_END_LOW 20
#define M1_END_HIGH 1003
#else
#define M1_FEATURES 0
#define M1_CALIBRATES 0
#define M1_MOTORS_LIMIT 0
#endif
#include "mark1_link.h"
#include "mark1_hand.h"
#include "mark1_safety.h"

#ifdef HARNESS_MOTORS
#include "mark1_motors.h"
static int8_t ways[M1_CHANNELS];
static void m1_drive(uint16_t channel, int8_t way) { ways[channel] = way; }
static void m1_hook_target(uint16_t channel, uint8_t changed) { m1_motor_target(channel, changed); }
static void m1_hook_calibrate(uint16_t channel) { m1_motor_aim(channel); }
static void m1_hook_release(uint16_t channel) {
    if (channel < M1_CHANNELS) m1_motors[channel].freed = 1;
}
static void m1_hook_session(void) { m1_motors_session(m1.heard_ms); }
static void m1_hook_stop(void) { m1_safe.stopped = 1; }
static void m1_hook_resume(void) { m1_motors_resume(); }
#else
static void m1_hook_target(uint16_t channel, uint8_t changed) { (void)channel, (void)changed; }
static void m1_hook_calibrate(uint16_t channel) { (void)channel; }
static void m1_hook_release(uint16_t channel) { (void)channel; }
static void m1_hook_session(void) {}
static void m1_hook_stop(void) { m1_safe.stopped = 1; }
static void m1_hook_resume(void) { m1_safe.stopped = 0; }
#endif
static uint8_t m1_hook_report(uint16_t cursor, uint8_t *payload, uint8_t *length, uint16_t *next) {
    (void)cursor;
    *length = 2;
    m1_put16(payload, 0);
    *next = M1_END;
    return 0x35;
}

static uint8_t incoming[1 << 16], outgoing[1 << 16];

static size_t drain(uint32_t now_ms) {
    size_t size = 0;
    uint8_t frame[M1_OUT_FRAME], length;
    while ((length = m1_output(frame, 255, now_ms)) != 0) {
        memcpy(outgoing + size, frame, length);
        size += length;
    }
    return size;
}

static void samples(uint16_t size, uint32_t now_ms) {
#ifdef HARNESS_MOTORS
    for (uint16_t channel = 0; channel < M1_CHANNELS && 2 * channel + 1 < size; channel++)
        m1_motor_sample(channel, (int16_t)m1_u16(incoming + 2 * channel), now_ms);
#else
    (void)size, (void)now_ms;
#endif
}

int main(void) {
    uint8_t head[7], two[2];
    m1_begin(1);
    m1_hook_limits(0, 0, 0, 0);
#ifdef HARNESS_MOTORS
    m1_motors_begin();
#endif
    while (fread(head, 1, 7, stdin) == 7) {
        const uint32_t now_ms = m1_u32(head);
        const uint16_t size = m1_u16(head + 5);
        if (fread(incoming, 1, size, stdin) != size) return 2;
        if (head[4] == 'R')
            for (uint16_t at = 0; at < size; at++) m1_receive(incoming[at], now_ms);
        m1_watch_silence(now_ms);
        if (head[4] == 'S') samples(size, now_ms);
        const size_t out = drain(now_ms);
        m1_put16(two, (uint16_t)out);
        fwrite(two, 1, 2, stdout);
        fwrite(outgoing, 1, out, stdout);
#ifdef HARNESS_MOTORS
        if (head[4] == 'S') fwrite(ways, 1, M1_CHANNELS, stdout);
#endif
    }
    for (uint16_t channel = 0; channel < M1_CHANNELS; channel++) {
        m1_put16(two, (uint16_t)m1.values[channel]);
        fwrite(two, 1, 2, stdout);
    }
    return 0;
}
