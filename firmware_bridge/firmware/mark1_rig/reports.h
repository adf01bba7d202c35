// What the board tells unasked, in this order: measured positions (motors only), states, light.
// The cursor runs over channels, then channels again, then photocells.
#ifndef REPORTS_H
#define REPORTS_H

#if PHOTOCELLS
static uint8_t light[PHOTOCELLS];
#endif

static uint8_t report_light(uint16_t cursor, uint8_t *payload, uint8_t *length, uint16_t *next) {
#if PHOTOCELLS
  uint8_t count = (uint8_t)(PHOTOCELLS - cursor < M1_STATES_PER_REPLY ? PHOTOCELLS - cursor : M1_STATES_PER_REPLY);
  memcpy(m1_put16(payload, cursor), light + cursor, count);
  *length = (uint8_t)(2 + count);
  *next = cursor + count < PHOTOCELLS ? 2 * M1_CHANNELS + cursor + count : M1_END;
  return 0x36;
#else
  (void)cursor, (void)payload, (void)length;
  *next = M1_END;
  return 0;
#endif
}

// Starts with the states of channel cursor; state_of is the back end's.
static uint8_t report_states(uint16_t cursor, uint8_t *payload, uint8_t *length, uint16_t *next,
                             uint8_t (*state_of)(uint16_t)) {
  uint8_t *at = m1_put16(payload, cursor), left = M1_STATES_PER_REPLY;
  while (left-- && cursor < M1_CHANNELS) *at++ = state_of(cursor++);
  *length = (uint8_t)(at - payload);
  *next = cursor < M1_CHANNELS ? M1_CHANNELS + cursor : PHOTOCELLS ? 2 * M1_CHANNELS : M1_END;
  return 0x35;
}
#endif
