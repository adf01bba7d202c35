/* What the link tells the sketch, and asks of it; plain C. The names of events and flags are those of PROTOCOL.md. */
#ifndef MARK1_HOOKS_H
#define MARK1_HOOKS_H

#include <stdint.h>

enum { M1_EVENT_BUTTON = 1, M1_EVENT_HAND, M1_EVENT_STALL, M1_EVENT_OVERTIME, M1_EVENT_STOPPED };
enum { M1_FLAG_STOPPED = 1, M1_FLAG_FAULT = 2, M1_FLAG_SILENT = 4 };
enum { M1_END = 0xFFFF }; /* no report under way */

static void m1_hook_target(uint16_t channel, uint8_t changed);
static void m1_hook_limits(uint8_t motors, uint16_t silence_ms, uint16_t stall_ms, uint16_t overtime_ms);
static void m1_hook_calibrate(uint16_t channel); /* its curve has changed */
static void m1_hook_release(uint16_t channel);
static void m1_hook_session(void);
static void m1_hook_stop(void);
static void m1_hook_resume(void);
static uint8_t m1_hook_flags(void);
static uint8_t m1_hook_moving(void);
static uint8_t m1_hook_at_once(void);
/* Fills one report frame from cursor on; returns its type or 0, and the next cursor (M1_END after the last). */
static uint8_t m1_hook_report(uint16_t cursor, uint8_t *payload, uint8_t *length, uint16_t *next);

#endif
