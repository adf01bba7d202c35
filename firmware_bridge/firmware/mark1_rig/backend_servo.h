// One servo on the pin of timer 1's output A: 50 pulses a second made by the timer itself, half a microsecond fine.
#if CHANNELS != 1
#error "The servo back end has one channel; use BACKEND_PCA9685 for more."
#endif
#define M1_NAME BOARD_NAME " servo"
#define M1_MOTORS_LIMIT 1
#define M1_END_LOW 600
#define M1_END_HIGH 2400
#define M1_AGAIN_MS 0
#define M1_TRAVEL_MS 600
#include "open_loop.h"

static void backend_cut() { TCCR1A &= ~_BV(COM1A1); }  // no pulse: the servo goes limp; the pin itself stays low

static uint8_t m1_place(uint16_t, int16_t microseconds) {
  if (microseconds) {
    OCR1A = (uint16_t)(2 * microseconds);
    TCCR1A |= _BV(COM1A1);
  } else {
    backend_cut();
  }
  return 1;
}

static void backend_begin() {
  m1_servos_begin();
  pinMode(PIN_SERVO, OUTPUT);
  digitalWrite(PIN_SERVO, LOW);
  ICR1 = 39999;  // 20 ms at 2 MHz
  TCNT1 = 0;
  TCCR1A = _BV(WGM11);
  TCCR1B = _BV(WGM13) | _BV(WGM12) | _BV(CS11);  // fast PWM up to ICR1, clock / 8
}
