/* Bytes of the link: checksum, little-endian numbers, steps, and the frame around a payload; plain C. */
#ifndef MARK1_BYTES_H
#define MARK1_BYTES_H

#include <stdint.h>
#ifdef __AVR__
#include <util/crc16.h>
#endif

#ifdef __GNUC__
#define M1_APART __attribute__((noinline)) /* inlined into loop(), its variables would live in memory: twice as slow */
#else
#define M1_APART
#endif

static inline uint16_t m1_crc_byte(uint16_t crc, uint8_t byte) {
#ifdef __AVR__
    return _crc_xmodem_update(crc, byte);
#else
    uint8_t bit;
    crc ^= (uint16_t)((uint16_t)byte << 8);
    for (bit = 0; bit < 8; bit++) crc = (uint16_t)(crc << 1 ^ (crc & 0x8000u ? 0x1021u : 0u));
    return crc;
#endif
}

static uint16_t m1_crc(const uint8_t *data, uint16_t length, uint16_t crc) {
    while (length--) crc = m1_crc_byte(crc, *data++);
    return crc;
}

static inline uint16_t m1_u16(const uint8_t *at) { return (uint16_t)(at[0] | ((uint16_t)at[1] << 8)); }
static inline uint32_t m1_u32(const uint8_t *at) { return m1_u16(at) | ((uint32_t)m1_u16(at + 2) << 16); }
static inline uint8_t *m1_put16(uint8_t *at, uint16_t value) {
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    return at + 2;
}
static inline uint8_t *m1_put32(uint8_t *at, uint32_t value) {
    return m1_put16(m1_put16(at, (uint16_t)value), (uint16_t)(value >> 16));
}

/* value + delta, held within +-32767; in 16 bits, because 32 cost an AVR three times as long. */
static inline int16_t m1_moved(int16_t value, int16_t delta) {
    const int16_t most = delta > 0 ? 32767 : -32767;
    const int16_t room = (int16_t)((uint16_t)most - (uint16_t)value); /* as unsigned: may pass 32767, never 65535 */
    if (delta > 0) return (uint16_t)room < (uint16_t)delta ? most : (int16_t)(value + delta);
    return (uint16_t)((uint16_t)value - (uint16_t)most) < (uint16_t)(0u - (uint16_t)delta) ? most : (int16_t)(value + delta);
}

/* COBS(kind, seq, payload, crc16) and a zero, into out (length + 6 bytes); returns how many. Below 254 bytes only. */
static uint8_t m1_encode(uint8_t *out, uint8_t kind, uint8_t seq, const uint8_t *payload, uint8_t length, uint16_t seed) {
    uint8_t head[2], at, code = 0, size = 1, byte;
    uint16_t crc;
    head[0] = kind;
    head[1] = seq;
    crc = m1_crc(payload, length, m1_crc(head, 2, seed));
    for (at = 0; at < length + 4; at++) {
        byte = at < 2 ? head[at] : at < length + 2 ? payload[at - 2] : (uint8_t)(at == length + 2 ? crc : crc >> 8);
        if (byte == 0) {
            out[code] = (uint8_t)(size - code);
            code = size;
        }
        out[size++] = byte;
    }
    out[code] = (uint8_t)(size - code);
    out[size++] = 0;
    return size;
}

#endif
