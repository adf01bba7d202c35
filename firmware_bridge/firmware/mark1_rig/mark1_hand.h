/* The rule that tells drift from a hand, for one potentiometer; plain C. The Python twin is micropython/mark1_rig/hand.py.
 *
 * Motor off: the rule looks only while the motor has been off for SETTLE_MS. Speed and size: SIZE counts within the
 * window is a hand; slower is drift. Dwell: a held knob that rests for DWELL_MS is reported. Counts are 10-bit.
 */
#ifndef MARK1_HAND_H
#define MARK1_HAND_H

#include <stdint.h>
#include <stdlib.h>

#define M1_SETTLE_MS 300u
#define M1_HALF_WINDOW_MS 250u
#define M1_HAND_SIZE 24
#define M1_STILL 6
#define M1_QUIET_MS 150u
#define M1_DWELL_MS 700u

enum { M1_FREE = 0, M1_HELD = 1, M1_REPORTED = 2 };

typedef struct {
    uint8_t state, seen;
    int16_t older, newer, still;
    uint32_t window_ms, still_ms, off_ms;
} m1_hand;

static void m1_hand_restart(m1_hand *hand, int16_t sample, uint32_t now_ms) {
    hand->older = hand->newer = hand->still = sample;
    hand->window_ms = hand->still_ms = hand->off_ms = now_ms;
}

static void m1_hand_free(m1_hand *hand, int16_t sample, uint32_t now_ms) {
    if (now_ms - hand->off_ms < M1_SETTLE_MS) {
        hand->older = hand->newer = hand->still = sample;
        hand->window_ms = hand->still_ms = now_ms;
    } else if (abs(sample - hand->older) >= M1_HAND_SIZE || abs(sample - hand->newer) >= M1_HAND_SIZE) {
        hand->state = M1_HELD;
        hand->still = sample;
        hand->still_ms = now_ms;
    } else if (now_ms - hand->window_ms >= M1_HALF_WINDOW_MS) {
        hand->older = hand->newer;
        hand->newer = sample;
        hand->window_ms = now_ms;
    }
}

/* Takes one sample with the motor off; 1 at the moment when a held knob has come to rest. */
static uint8_t m1_hand_look(m1_hand *hand, int16_t sample, uint32_t now_ms) {
    if (!hand->seen) {
        hand->seen = 1;
        m1_hand_restart(hand, sample, now_ms);
    }
    if (abs(sample - hand->still) > (hand->state == M1_REPORTED ? 2 * M1_STILL : M1_STILL)) {
        hand->still = sample;
        hand->still_ms = now_ms;
        if (hand->state == M1_REPORTED) hand->state = M1_HELD;
    }
    if (hand->state == M1_FREE) {
        m1_hand_free(hand, sample, now_ms);
    } else if (hand->state == M1_HELD && now_ms - hand->still_ms >= M1_DWELL_MS) {
        hand->state = M1_REPORTED;
        return 1;
    }
    return 0;
}

/* May the motor start? Not while the knob is in a hand, nor while something is turning it. */
static uint8_t m1_hand_quiet(const m1_hand *hand, uint32_t now_ms) {
    return hand->state == M1_FREE && now_ms - hand->still_ms >= M1_QUIET_MS;
}

static void m1_hand_release(m1_hand *hand, int16_t sample, uint32_t now_ms) {
    if (hand->state != M1_REPORTED) return;
    hand->state = M1_FREE;
    m1_hand_restart(hand, sample, now_ms);
}

#endif
