// Servos on PCA9685 boards: 16 channels each, at I2C addresses 0x40, 0x41, ... (NXP PCA9685 data sheet).
#include <Wire.h>
#define M1_NAME BOARD_NAME " PCA9685"
#define M1_MOTORS_LIMIT MOTORS_AT_ONCE
#define M1_END_LOW 600
#define M1_END_HIGH 2400
#define M1_TRAVEL_MS 600
#define M1_AGAIN_MS 10  // in turns one channel and those that failed, so each channel every 20 ms x CHANNELS
#define M1_PER_CHIP 16
#include "open_loop.h"

#define PCA_ADDRESS 0x40
#define PCA_MODE1 0x00
#define PCA_LED0 0x06
#define PCA_ALL_OFF_HIGH 0xFD
#define PCA_PRESCALE 0xFE
#define PCA_SLEEP 0x10
#define PCA_RUN 0x20        // auto-increment
#define PCA_FULL_OFF 0x10
#define PCA_PRESCALE_50HZ 121  // round(25 MHz / (4096 * 50)) - 1; one tick is 4.88 us

// False when nothing answered.
static bool pca_write(uint8_t board, uint8_t reg, uint8_t value) {
  Wire.beginTransmission((uint8_t)(PCA_ADDRESS + board));
  Wire.write(reg);
  Wire.write(value);
  return Wire.endTransmission() == 0;
}

static uint8_t m1_place(uint16_t channel, int16_t microseconds) {
  const uint16_t ticks = (uint16_t)((uint32_t)microseconds * 4096 / 20000);
  Wire.beginTransmission((uint8_t)(PCA_ADDRESS + channel / 16));
  Wire.write((uint8_t)(PCA_LED0 + 4 * (channel % 16)));
  Wire.write((uint8_t)0);
  Wire.write((uint8_t)0);
  Wire.write((uint8_t)ticks);
  Wire.write((uint8_t)(microseconds ? ticks >> 8 : PCA_FULL_OFF));
  return Wire.endTransmission() == 0;
}

// Out of the sleep in which a chip begins that (again) has power. One that is awake refuses the prescaler, and keeps it.
static uint8_t m1_wake(uint16_t channel) {
  const uint8_t board = (uint8_t)(channel / M1_PER_CHIP);
  return pca_write(board, PCA_PRESCALE, PCA_PRESCALE_50HZ) && pca_write(board, PCA_MODE1, PCA_RUN);
}

static void backend_cut() {}  // the bus cannot be used in an interrupt; the start that follows switches all off

static void backend_begin() {
  m1_servos_begin();
  Wire.begin();
  Wire.setClock(400000);
  Wire.setWireTimeout(3000, true);  // a loose wire must not stop the safety
  for (uint8_t board = 0; board < (CHANNELS + 15) / 16; board++) {
    pca_write(board, PCA_ALL_OFF_HIGH, PCA_FULL_OFF);
    pca_write(board, PCA_MODE1, PCA_SLEEP);
    pca_write(board, PCA_PRESCALE, PCA_PRESCALE_50HZ);
    pca_write(board, PCA_MODE1, PCA_RUN);
  }
}
