// Pins by board. docs/rig_wiring.md has the same tables; a test compares them.
#ifndef PINS_H
#define PINS_H

#if defined(__AVR_ATmega2560__)
#define BOARD_NAME "Mega"
#define PIN_SERVO 11          // OC1A
#define PINS_DIGIPOT_CS { 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, \
                          38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 2, 3, 5, 6 }
#define PINS_MUX_ADDRESS { 22, 23, 24, 25 }  // S0-S3 of every 74HC4067
#define PIN_LATCH 53          // RCLK of the 74HC595 chain; data on MOSI (51), clock on SCK (52)
#define PIN_MOTORS_ENABLE 49  // OE of the chain, with a 10 kOhm pull-up: motors off during reset
#define PINS_BUTTON { 14, 15, 16, 17 }
#define PIN_STOP 18
#define ANALOG_PINS 16
#else
#define BOARD_NAME "Uno"
#define PIN_SERVO 9           // OC1A
#define PINS_DIGIPOT_CS { 10, 9, 8, 7, 6, 5, 4, 3 }
#define PINS_MUX_ADDRESS { 4, 5, 6, 7 }
#define PIN_LATCH 10          // data on MOSI (11), clock on SCK (13)
#define PIN_MOTORS_ENABLE 9
#define PINS_BUTTON { 2, 8, A2, A3 }
#define PIN_STOP 3
#define ANALOG_PINS 6
#endif

#if PHOTOCELLS && BACKEND == BACKEND_DIGIPOT
#error "Photocells share pins with the digital potentiometers' chip selects; use another back end."
#endif
#if (BUTTONS || STOP_BUTTON) && BACKEND == BACKEND_DIGIPOT && !defined(__AVR_ATmega2560__) && CHANNELS > 4
#error "On an Uno, buttons share pins with the chip selects of channel 4 and up; use a Mega or fewer channels."
#endif

#define FEATURE_INPUTS ((PHOTOCELLS ? 2 : 0) | (BUTTONS ? 4 : 0))
#endif
