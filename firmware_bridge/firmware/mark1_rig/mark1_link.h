/* The board's side of the link, in plain C (C99 and C++), for every board. ../../PROTOCOL.md has the words.
 *
 * Takes bytes one at a time, keeps one session, takes frames only in order, keeps the wire values, answers digests and
 * read-backs, queues events until the host takes them. Never blocks and never allocates: the caller asks m1_output for
 * the next frame when the port has room. Leaves out everything that moves: the hooks below are the sketch's.
 *
 * Define before including: M1_CHANNELS, M1_NAME, M1_FEATURES, M1_CALIBRATES (0 or 1), M1_MOTORS_LIMIT.
 */
#ifndef MARK1_LINK_H
#define MARK1_LINK_H

#include <stdint.h>
#include <string.h>

#include "mark1_bytes.h"

#ifndef M1_LARGEST
#define M1_LARGEST 72 /* payload: 35 values, or a step for 512 channels and a little */
#endif
#ifndef M1_WINDOW
#define M1_WINDOW 160 /* bytes in flight; the decoder empties the port's own buffer in every turn of loop() */
#endif

#define M1_PROTOCOL 1
#define M1_TABLE_HASH 0x9a17u /* messages.table_hash(); a test compares */
#define M1_PLAIN 0xFFFFu
#define M1_HOLD_MS 1000u
#define M1_EVENT_AGAIN_MS 200u
#define M1_VALUES_PER_REPLY 15
#define M1_STATES_PER_REPLY 32
#define M1_EVENTS 8
#define M1_OUT_PAYLOAD 40
#define M1_OUT_FRAME (M1_OUT_PAYLOAD + 6)
#define M1_SMALL_FRAME 10

#include "mark1_hooks.h"

typedef struct {
    uint8_t kind;
    uint16_t index;
    int16_t value;
} m1_event;

typedef struct {
    int16_t values[M1_CHANNELS];
#if M1_CALIBRATES
    uint16_t calibration[M1_CHANNELS][3];
#endif
    uint8_t limits[7];
    /* decoder */
    uint8_t body[M1_LARGEST + 4];
    uint8_t length, left, code, bad;
    /* session */
    uint8_t open, version_ok, cause, sessions, expected, heard; /* heard: since the sketch last looked */
    uint16_t session;
    uint32_t nonce, host, heard_ms;
    /* replies that wait for room */
    uint8_t ack, nak, hello, orphan, busy, digest, digest_seq;
    uint32_t busy_nonce;
    uint16_t busy_left, read_from, read_to, report_at;
    uint16_t period_ms;
    uint32_t reported_ms;
    uint16_t checksum_failures, overruns;
    /* events */
    m1_event events[M1_EVENTS];
    uint8_t event_first, event_count, event_id, event_sent;
    uint32_t event_ms;
} m1_link;

static m1_link m1;

/* ---- state ---- */
static void m1_forget_replies(void) {
    m1.ack = m1.nak = m1.hello = m1.orphan = m1.busy = m1.digest = 0;
    m1.read_from = m1.read_to = 0;
    m1.report_at = M1_END;
}

static void m1_begin(uint8_t cause) {
    memset(&m1, 0, sizeof m1);
    m1.cause = cause;
    m1_forget_replies();
    m1.orphan = 1; /* said at once, so that a host notices a reset without waiting for its next ping */
}

/* Queues an event; 0 when there is no session or no room. */
static uint8_t m1_raise_event(uint8_t kind, uint16_t index, int16_t value) {
    m1_event *event;
    if (!m1.open || m1.event_count >= M1_EVENTS) return 0;
    event = &m1.events[(uint8_t)(m1.event_first + m1.event_count) % M1_EVENTS];
    event->kind = kind;
    event->index = index;
    event->value = value;
    m1.event_count++;
    return 1;
}

static void m1_set(uint16_t channel, int16_t value) {
    uint8_t changed;
    if (channel >= M1_CHANNELS) return;
    if (value < -32767) value = -32767; /* so that a value and its opposite are always both there */
    changed = m1.values[channel] != value;
    m1.values[channel] = value;
    m1_hook_target(channel, changed);
}

/* ---- messages of a session ---- */
static M1_APART void m1_values(const uint8_t *payload, uint8_t length) {
    uint16_t channel = m1_u16(payload);
    uint8_t at;
    for (at = 2; at + 1 < length; at = (uint8_t)(at + 2)) {
        m1_set(channel, (int16_t)m1_u16(payload + at));
        if (channel == 0xFFFFu) return;
        channel++;
    }
}

/* Short in time, too: at 500,000 baud the 64-byte ring of an Uno fills in 1.4 ms. */
static M1_APART void m1_step(const uint8_t *payload, uint8_t length) {
    uint16_t first = m1_u16(payload), channel;
    const int16_t delta = (int16_t)m1_u16(payload + 2);
    const uint8_t *mask = payload + 4, *end = payload + length;
    uint8_t bits;
    for (; mask < end && first < M1_CHANNELS; mask++, first = (uint16_t)(first + 8)) {
        int16_t *value = m1.values + first;
        for (bits = *mask, channel = first; bits && channel < M1_CHANNELS; bits >>= 1, channel++, value++) {
            if (!(bits & 1)) continue;
            *value = m1_moved(*value, delta);
            m1_hook_target(channel, 1);
        }
    }
}

static void m1_calibrate(const uint8_t *payload) {
#if M1_CALIBRATES
    uint16_t channel = m1_u16(payload);
    uint8_t end, changed = 0;
    if (channel >= M1_CHANNELS) return;
    for (end = 0; end < 3; end++) {
        changed |= m1.calibration[channel][end] != m1_u16(payload + 2 + 2 * end);
        m1.calibration[channel][end] = m1_u16(payload + 2 + 2 * end);
    }
    if (changed) m1_hook_calibrate(channel);
#else
    (void)payload;
#endif
}

static void m1_limits(const uint8_t *payload) {
    memcpy(m1.limits, payload, 7);
    m1_hook_limits(payload[0], m1_u16(payload + 1), m1_u16(payload + 3), m1_u16(payload + 5));
}

static void m1_ask_values(const uint8_t *payload) {
    uint32_t end = (uint32_t)m1_u16(payload) + payload[2];
    m1.read_from = m1_u16(payload);
    m1.read_to = (uint16_t)(end < M1_CHANNELS ? end : M1_CHANNELS);
}

static void m1_taken(uint8_t event) {
    if (!m1.event_count || event != m1.event_id) return;
    m1.event_first = (uint8_t)((m1.event_first + 1) % M1_EVENTS);
    m1.event_count--;
    m1.event_id++;
    m1.event_sent = 0;
}

static void m1_message(uint8_t kind, uint8_t seq, const uint8_t *payload, uint8_t length) {
    if (kind == 0x11 && length >= 4 && length % 2 == 0) m1_values(payload, length);
    else if (kind == 0x12 && length >= 5) m1_step(payload, length);
    else if (kind == 0x13 && length == 8) m1_calibrate(payload);
    else if (kind == 0x14 && length == 7) m1_limits(payload);
    else if (kind == 0x15) m1.digest = 1, m1.digest_seq = seq;
    else if (kind == 0x16 && length == 3) m1_ask_values(payload);
    else if (kind == 0x17 && length == 1) m1_taken(payload[0]);
    else if (kind == 0x18) m1_hook_resume();
    else if (kind == 0x19 && length == 2) m1.period_ms = m1_u16(payload);
    else if (kind == 0x1A && length == 2) m1_hook_release(m1_u16(payload));
}

static void m1_in_order(uint8_t kind, uint8_t seq, const uint8_t *payload, uint8_t length, uint32_t now_ms) {
    uint8_t ahead = (uint8_t)(seq - m1.expected);
    m1.heard_ms = now_ms;
    m1.heard = 1;
    if (ahead == 0) {
        m1.expected++;
        m1_message(kind, seq, payload, length);
        m1.ack = 1;
    } else if (ahead < 128) {
        m1.nak = 2;
    } else {
        m1.ack = 1;
    }
}

/* ---- handshake ---- */
static void m1_begin_session(uint32_t nonce, uint32_t host, uint32_t now_ms) {
    m1_forget_replies();
    m1.nonce = nonce;
    m1.host = host;
    m1.heard_ms = now_ms;
    m1.heard = 1;
    m1.open = m1.version_ok;
    m1.session = (uint16_t)nonce;
    if (m1.sessions < 255) m1.sessions++;
    m1.expected = 0;
    m1.period_ms = 0;
    m1.event_count = m1.event_first = m1.event_id = m1.event_sent = 0;
    m1_hook_session();
}

static void m1_hello(const uint8_t *payload, uint32_t now_ms) {
    uint32_t nonce = m1_u32(payload), host = m1_u32(payload + 4), silent = now_ms - m1.heard_ms;
    uint8_t fresh = !m1.open || nonce != m1.nonce;
    if (fresh && m1.open && host != m1.host && silent < M1_HOLD_MS) {
        m1.busy = 1;
        m1.busy_nonce = nonce;
        m1.busy_left = (uint16_t)(M1_HOLD_MS - silent);
        return;
    }
    m1.version_ok = payload[8] <= M1_PROTOCOL && M1_PROTOCOL <= payload[9];
    if (fresh) m1_begin_session(nonce, host, now_ms);
    m1.hello = 1;
}

static void m1_damaged(void) {
    m1.checksum_failures++;
    if (m1.open) m1.nak = 1;
    else m1.orphan = 1;
}

static M1_APART void m1_frame(uint32_t now_ms) {
    const uint8_t kind = m1.body[0], length = (uint8_t)(m1.length - 4);
    const uint8_t *payload = m1.body + 2;
    if (kind >= 0x10 && !m1.open) {
        m1.orphan = 1;
        return;
    }
    if (m1_crc(m1.body, (uint16_t)(m1.length - 2), kind < 0x10 ? M1_PLAIN : m1.session) != m1_u16(m1.body + m1.length - 2)) {
        m1_damaged();
        return;
    }
    if (kind == 0x01 && length == 12) m1_hello(payload, now_ms);
    else if (kind == 0x03 && length == 4 && memcmp(payload, "STOP", 4) == 0) m1_hook_stop();
    else if (kind >= 0x10) m1_in_order(kind, m1.body[1], payload, length, now_ms);
}

/* ---- decoder: COBS, byte by byte ---- */
static inline void m1_append(uint8_t byte) {
    if (m1.length >= sizeof m1.body) m1.bad = 1;
    else m1.body[m1.length++] = byte;
}

/* Takes one byte from the host. */
static void m1_receive(uint8_t byte, uint32_t now_ms) {
    if (byte == 0) {
        if (m1.bad || m1.left || (m1.code && m1.length < 4)) m1_damaged();
        else if (m1.code) m1_frame(now_ms);
        m1.length = m1.left = m1.code = m1.bad = 0;
    } else if (m1.left == 0) {
        if (m1.code && m1.code != 255) m1_append(0);
        m1.code = byte;
        m1.left = (uint8_t)(byte - 1);
    } else {
        m1_append(byte);
        m1.left--;
    }
}

/* ---- output ---- */
static uint8_t m1_build(uint8_t *out, uint8_t kind, uint8_t seq, const uint8_t *payload, uint8_t length) {
    return m1_encode(out, kind, seq, payload, length, kind < 0x10 || !m1.open ? M1_PLAIN : m1.session);
}

static uint8_t m1_hello_ack(uint8_t *out) {
    uint8_t payload[M1_OUT_PAYLOAD], *at = payload;
    uint8_t name = (uint8_t)(sizeof(M1_NAME) - 1 > 22 ? 22 : sizeof(M1_NAME) - 1);
    m1.hello = 0;
    at = m1_put32(at, m1.nonce);
    *at++ = m1.open ? M1_PROTOCOL : 0;
    *at++ = m1.cause;
    at = m1_put16(at, M1_CHANNELS);
    at = m1_put16(at, M1_WINDOW);
    *at++ = M1_LARGEST;
    *at++ = m1_hook_at_once();
    *at++ = M1_MOTORS_LIMIT;
    at = m1_put16(at, M1_FEATURES);
    *at++ = m1.sessions;
    at = m1_put16(at, M1_TABLE_HASH);
    memcpy(at, M1_NAME, name);
    return m1_build(out, 0x02, 0, payload, (uint8_t)(at - payload + name));
}

static uint16_t m1_settings(void) {
    uint16_t crc = M1_PLAIN;
#if M1_CALIBRATES
    uint16_t channel;
    uint8_t end, two[2];
    for (channel = 0; channel < M1_CHANNELS; channel++)
        for (end = 0; end < 3; end++) {
            m1_put16(two, m1.calibration[channel][end]);
            crc = m1_crc(two, 2, crc);
        }
#endif
    return m1_crc(m1.limits, 7, crc);
}

static M1_APART uint8_t m1_digest(uint8_t *out) {
    uint8_t payload[11], *at = payload;
    uint32_t first = 0, second = 0;
    uint16_t channel;
    for (channel = 0; channel < M1_CHANNELS; channel++) {
        first += (uint32_t)(int32_t)m1.values[channel];
        second += first;
    }
    m1.digest = 0;
    *at++ = m1.digest_seq;
    at = m1_put16(m1_put32(m1_put32(at, first), second), m1_settings());
    return m1_build(out, 0x32, 0, payload, (uint8_t)(at - payload));
}

static uint8_t m1_read_back(uint8_t *out) {
    uint8_t payload[2 + 2 * M1_VALUES_PER_REPLY], *at = m1_put16(payload, m1.read_from), left = M1_VALUES_PER_REPLY;
    while (left-- && m1.read_from < m1.read_to) at = m1_put16(at, (uint16_t)m1.values[m1.read_from++]);
    return m1_build(out, 0x33, 0, payload, (uint8_t)(at - payload));
}

static uint8_t m1_event_out(uint8_t *out, uint32_t now_ms) {
    const m1_event *event = &m1.events[m1.event_first];
    uint8_t payload[6];
    payload[0] = m1.event_id;
    payload[1] = event->kind;
    m1_put16(m1_put16(payload + 2, event->index), (uint16_t)event->value);
    m1.event_sent = 1;
    m1.event_ms = now_ms;
    return m1_build(out, 0x37, 0, payload, 6);
}

static uint8_t m1_status(uint8_t *out, uint32_t now_ms) {
    uint8_t payload[10];
    payload[0] = m1_hook_flags();
    payload[1] = m1_hook_moving();
    m1_put32(m1_put16(m1_put16(payload + 2, m1.checksum_failures), m1.overruns), now_ms);
    m1.reported_ms = now_ms;
    m1.report_at = 0;
    return m1_build(out, 0x38, 0, payload, 10);
}

static uint8_t m1_report(uint8_t *out, uint32_t now_ms) {
    uint8_t payload[M1_OUT_PAYLOAD], length = 0, kind;
    if (m1.report_at == M1_END) {
        if (!m1.period_ms || now_ms - m1.reported_ms < m1.period_ms) return 0;
        return m1_status(out, now_ms);
    }
    kind = m1_hook_report(m1.report_at, payload, &length, &m1.report_at);
    return kind ? m1_build(out, kind, 0, payload, length) : 0;
}

/* What a board without a session may say. */
static uint8_t m1_sessionless(uint8_t *out) {
    if (m1.hello) return m1_hello_ack(out);
    if (!m1.orphan) return 0;
    m1.orphan = 0;
    return m1_build(out, 0x04, 0, &m1.cause, 1);
}

static uint8_t m1_urgent(uint8_t *out) {
    uint8_t payload[2];
    if (m1.nak) {
        payload[0] = m1.nak;
        m1.nak = m1.ack = 0;
        return m1_build(out, 0x31, m1.expected, payload, 1);
    }
    m1.ack = 0;
    payload[0] = m1_hook_flags();
    payload[1] = m1_hook_moving();
    return m1_build(out, 0x30, m1.expected, payload, 2);
}

/* Writes the next frame into out (M1_OUT_FRAME bytes) if room allows; returns its length. Most urgent first. */
static uint8_t m1_output(uint8_t *out, uint8_t room, uint32_t now_ms) {
    uint8_t payload[6];
    if (room < M1_SMALL_FRAME) return 0;
    if (m1.open && !m1.hello && !m1.busy && (m1.nak || m1.ack)) return m1_urgent(out);
    if (room < M1_OUT_FRAME) return 0;
    if (m1.busy) {
        m1.busy = 0;
        m1_put16(m1_put32(payload, m1.busy_nonce), m1.busy_left);
        return m1_build(out, 0x05, 0, payload, 6);
    }
    if (!m1.open) return m1_sessionless(out);
    if (m1.hello) return m1_hello_ack(out);
    if (m1.digest) return m1_digest(out);
    if (m1.read_from < m1.read_to) return m1_read_back(out);
    if (m1.event_count && (!m1.event_sent || now_ms - m1.event_ms >= M1_EVENT_AGAIN_MS)) return m1_event_out(out, now_ms);
    return m1_report(out, now_ms);
}

#endif
