/* Runs one AVR in libsimavr: a test tool, in source form only (libsimavr is GPL-3; nothing of it is shipped).
 *
 * As a library it runs in lockstep with a test: feed bytes, run to a cycle, take bytes and the trace of pins, SPI and
 * I2C. simavr_program.c makes it a program with a pty.
 * The plant models what hangs on the motors back end: 74HC4067 multiplexers, 74HC595 chain, motors, potentiometers.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "avr_adc.h"
#include "avr_ioport.h"
#include "avr_spi.h"
#include "avr_timer.h"
#include "avr_twi.h"
#include "avr_uart.h"
#include "sim_avr.h"
#include "sim_elf.h"

#define MCUSR_ADDRESS 0x54
#define UCSR0A_ADDRESS 0xC0
#define UBRR0_ADDRESS 0xC4
#define STARTUP_CYCLES 1040000 /* 65 ms, by the fuses of Uno and Mega */
#define MOTORS 64
#define COUNTS 1023

typedef struct {
    uint64_t cycle;
    uint8_t kind; /* 's' SPI byte, 'p' pin, 't' I2C byte, 'S' I2C start, 'N' one that nobody answers, 'P' I2C stop, 'l' latched chain */
    uint8_t where; /* port letter, or I2C address */
    uint8_t bit;
    uint8_t value;
} trace_item;

typedef struct sim {
    avr_t *avr;
    elf_firmware_t firmware;
    uint8_t *in, *out;
    size_t in_size, in_at, in_room, out_size, out_room;
    trace_item *trace;
    size_t trace_size, trace_room;
    int traced, xoff, deaf; /* deaf: so many I2C writes find nobody, -1 all */
    avr_irq_t *uart_in, *twi_in, *adc;
    uint8_t twi_address, pins[32], outside[32], outside_mask[32];
    /* plant */
    int channels, speed, noise;
    uint8_t address_pin[4][2], latch[2], enable[2];
    uint8_t chain[64];
    int64_t position[128]; /* millionths of a count, by slot; photocells after the motors */
    int8_t way[MOTORS];
    uint8_t jammed[MOTORS];
    uint64_t moved_at, held_until;
    uint32_t hang_at;
    uint8_t was_there[2];
    uint32_t chance;
    int most_moving;
} sim;

static void note(sim *s, uint8_t kind, uint8_t where, uint8_t bit, uint8_t value) {
    if (!s->traced) return;
    if (s->trace_size == s->trace_room) {
        s->trace_room = s->trace_room ? 2 * s->trace_room : 4096;
        s->trace = realloc(s->trace, s->trace_room * sizeof *s->trace);
    }
    s->trace[s->trace_size++] = (trace_item){s->avr->cycle, kind, where, bit, value};
}

/* ---- plant ---- */
static void plant_advance(sim *s) {
    const uint64_t passed = s->avr->cycle - s->moved_at;
    s->moved_at = s->avr->cycle;
    for (int motor = 0; motor < s->channels; motor++) {
        if (!s->way[motor] || s->jammed[motor]) continue;
        int64_t at = s->position[motor] + (int64_t)s->way[motor] * s->speed * (int64_t)passed / 16;
        s->position[motor] = at < 0 ? 0 : at > COUNTS * 1000000LL ? COUNTS * 1000000LL : at;
    }
}

static uint8_t pin_is(const sim *s, const uint8_t where[2]) { return s->pins[where[0] - 'A'] >> where[1] & 1; }

/* The chain is latched: two bits a motor, unless the enable pin is high. */
static void plant_drive(sim *s) {
    int moving = 0;
    plant_advance(s);
    for (int motor = 0; motor < s->channels; motor++) {
        const uint8_t bits = s->chain[motor / 4] >> 2 * (motor % 4) & 3;
        s->way[motor] = pin_is(s, s->enable) ? 0 : bits == 1 ? 1 : bits == 2 ? -1 : 0;
        moving += s->way[motor] != 0;
    }
    if (moving > s->most_moving) s->most_moving = moving;
    note(s, 'l', 0, 0, (uint8_t)moving);
}

static void on_convert(struct avr_irq_t *irq, uint32_t value, void *param) {
    sim *s = param;
    union {
        avr_adc_mux_t mux;
        uint32_t v;
    } asked = {.v = value};
    int address = 0, counts;
    plant_advance(s);
    for (int bit = 0; bit < 4; bit++) address |= pin_is(s, s->address_pin[bit]) << bit;
    counts = (int)(s->position[(16 * asked.mux.src + address) & 127] / 1000000);
    s->chance = s->chance * 1664525u + 1013904223u;
    if (s->noise) counts += (int)((s->chance >> 16) % (2 * s->noise + 1)) - s->noise;
    counts = counts < 0 ? 0 : counts > COUNTS ? COUNTS : counts;
    avr_raise_irq(s->adc + asked.mux.src, (uint32_t)((counts * 5000 + 1022) / 1023)); /* millivolts; rounds back to counts */
}

/* ---- pins, SPI, I2C, UART ---- */
static void on_pin(struct avr_irq_t *irq, uint32_t value, void *param) {
    sim *s = ((void **)param)[0];
    const uint8_t port = (uint8_t)(uintptr_t)((void **)param)[1], bit = (uint8_t)irq->irq;
    const uint8_t was = s->pins[port - 'A'] >> bit & 1, is = value & 1;
    if (was == is) return;
    s->pins[port - 'A'] ^= (uint8_t)(1 << bit);
    note(s, 'p', port, bit, is);
    if (s->channels && ((port == s->latch[0] && bit == s->latch[1] && is) || (port == s->enable[0] && bit == s->enable[1])))
        plant_drive(s);
}

static void on_spi(struct avr_irq_t *irq, uint32_t value, void *param) {
    sim *s = param;
    note(s, 's', 0, 0, (uint8_t)value);
    memmove(s->chain + 1, s->chain, sizeof s->chain - 1); /* the first byte in ends in the farthest register */
    s->chain[0] = (uint8_t)value;
}

static void on_twi(struct avr_irq_t *irq, uint32_t value, void *param) {
    sim *s = param;
    avr_twi_msg_irq_t message = {.u.v = value};
    if (message.u.twi.msg & TWI_COND_STOP) {
        note(s, 'P', s->twi_address, 0, 0);
        s->twi_address = 0;
    }
    if (message.u.twi.msg & TWI_COND_START) {
        s->twi_address = message.u.twi.addr >> 1;
        if (s->deaf) {
            s->deaf -= s->deaf > 0;
            note(s, 'N', s->twi_address, 0, 0);
            return;
        }
        note(s, 'S', s->twi_address, 0, 0);
        avr_raise_irq(s->twi_in, avr_twi_irq_msg(TWI_COND_ACK, message.u.twi.addr, 1));
    }
    if (message.u.twi.msg & TWI_COND_WRITE) {
        note(s, 't', s->twi_address, 0, message.u.twi.data);
        avr_raise_irq(s->twi_in, avr_twi_irq_msg(TWI_COND_ACK, message.u.twi.addr, 1));
    }
}

static void on_uart(struct avr_irq_t *irq, uint32_t value, void *param) {
    sim *s = param;
    if (s->out_size == s->out_room) {
        s->out_room = s->out_room ? 2 * s->out_room : 4096;
        s->out = realloc(s->out, s->out_room);
    }
    s->out[s->out_size++] = (uint8_t)value;
}

static void on_xoff(struct avr_irq_t *irq, uint32_t value, void *param) { ((sim *)param)->xoff = 1; }
static void on_xon(struct avr_irq_t *irq, uint32_t value, void *param) { ((sim *)param)->xoff = 0; }

/* The line: one byte per 11 bit times (as simavr counts), at the rate the firmware set. */
static uint64_t byte_cycles(const sim *s) {
    const uint32_t divider = (s->avr->data[UBRR0_ADDRESS] | s->avr->data[UBRR0_ADDRESS + 1] << 8) + 1;
    return 11ull * divider * (s->avr->data[UCSR0A_ADDRESS] & 2 ? 8 : 16);
}

static avr_cycle_count_t feed_one(avr_t *avr, avr_cycle_count_t when, void *param) {
    sim *s = param;
    if (s->in_at == s->in_size) return 0;
    if (!s->xoff) avr_raise_irq(s->uart_in, s->in[s->in_at++]);
    return when + byte_cycles(s);
}

/* Starts the line, or starts it again: a watchdog reset inside simavr drops every timer. */
static void keep_feeding(sim *s) {
    if (s->in_at < s->in_size && !avr_cycle_timer_status(s->avr, feed_one, s)) {
        s->xoff = 0;
        avr_cycle_timer_register(s->avr, byte_cycles(s), feed_one, s);
    }
}

void sim_feed(sim *s, const uint8_t *data, size_t size) {
    if (s->in_at == s->in_size) s->in_at = s->in_size = 0;
    if (s->in_size + size > s->in_room) {
        s->in_room = 2 * (s->in_size + size);
        s->in = realloc(s->in, s->in_room);
    }
    memcpy(s->in + s->in_size, data, size);
    s->in_size += size;
    keep_feeding(s);
}

size_t sim_waiting(const sim *s) { return s->in_size - s->in_at; }

size_t sim_take(sim *s, uint8_t *data, size_t room) {
    const size_t size = s->out_size < room ? s->out_size : room;
    memcpy(data, s->out, size);
    memmove(s->out, s->out + size, s->out_size - size);
    s->out_size -= size;
    return size;
}

size_t sim_trace(sim *s, trace_item *items, size_t room) {
    const size_t size = s->trace_size < room ? s->trace_size : room;
    memcpy(items, s->trace, size * sizeof *items);
    memmove(s->trace, s->trace + size, (s->trace_size - size) * sizeof *items);
    s->trace_size -= size;
    return size;
}

void sim_set_traced(sim *s, int traced) { s->traced = traced; }
uint64_t sim_cycles(const sim *s) { return s->avr->cycle; }

/* 0 while it runs; else simavr's state (done, crashed). */
int sim_run(sim *s, uint64_t until) {
    if (s->avr->cycle < s->held_until) { /* the crystal starts up: nothing runs, what arrives is lost */
        s->in_at = s->in_size;
        s->avr->cycle = until < s->held_until ? until : s->held_until;
    }
    keep_feeding(s);
    while (s->avr->cycle < until) {
        const int state = avr_run(s->avr);
        if (state == cpu_Done || state == cpu_Crashed) return state;
    }
    return 0;
}

/* A reset: flags as in MCUSR (1 power, 2 external, 4 brown-out, 8 watchdog). Bytes on the line are lost. */
void sim_reset(sim *s, int flags) {
    avr_cycle_timer_cancel(s->avr, feed_one, s);
    s->in_at = s->in_size = 0;
    s->xoff = 0;
    avr_reset(s->avr);
    s->avr->data[MCUSR_ADDRESS] = (uint8_t)flags;
    s->held_until = s->avr->cycle + STARTUP_CYCLES;
    memset(s->chain, 0, sizeof s->chain);
    memset(s->way, 0, sizeof s->way);
}

/* From outside, whatever pull-up the firmware sets. */
void sim_set_pin(sim *s, int port, int bit, int value) {
    avr_ioport_external_t outside = {.name = port};
    s->outside_mask[port - 'A'] |= (uint8_t)(1 << bit);
    if (value) s->outside[port - 'A'] |= (uint8_t)(1 << bit);
    else s->outside[port - 'A'] &= (uint8_t)~(1 << bit);
    outside.mask = s->outside_mask[port - 'A'];
    outside.value = s->outside[port - 'A'];
    avr_ioctl(s->avr, AVR_IOCTL_IOPORT_SET_EXTERNAL(port), &outside);
    avr_raise_irq(avr_io_getirq(s->avr, AVR_IOCTL_IOPORT_GETIRQ(port), bit), (uint32_t)value);
}

void sim_plant(sim *s, int channels, int speed, const char *pins) {
    /* pins: six pairs of port letter and bit: S0 S1 S2 S3 latch enable */
    for (int bit = 0; bit < 4; bit++) s->address_pin[bit][0] = pins[2 * bit], s->address_pin[bit][1] = pins[2 * bit + 1] - '0';
    s->latch[0] = pins[8], s->latch[1] = pins[9] - '0';
    s->enable[0] = pins[10], s->enable[1] = pins[11] - '0';
    s->channels = channels;
    s->speed = speed;
    for (int slot = 0; slot < 128; slot++) s->position[slot] = 511 * 1000000LL;
}

void sim_turn(sim *s, int slot, int counts) {
    plant_advance(s);
    s->position[slot] = counts * 1000000LL + 500000;
}
int sim_position(sim *s, int slot) {
    plant_advance(s);
    return (int)(s->position[slot] / 1000000);
}
int sim_way(const sim *s, int motor) { return s->way[motor]; }
void sim_jam(sim *s, int motor, int jammed) {
    plant_advance(s);
    s->jammed[motor] = (uint8_t)jammed;
}
/* The next instruction between first and last with interrupts on becomes a jump to itself, as if the program had lost
 * its way; no first gives it back. */
void sim_hang(sim *s, uint32_t first, uint32_t last) {
    static const uint8_t here[2] = {0xFF, 0xCF};
    if (first) {
        while (s->avr->pc < first || s->avr->pc >= last || !s->avr->sreg[S_I]) avr_run(s->avr);
        s->hang_at = s->avr->pc;
        memcpy(s->was_there, s->avr->flash + s->hang_at, 2);
    }
    memcpy(s->avr->flash + s->hang_at, first ? here : s->was_there, 2);
}
void sim_deafen(sim *s, int writes) { s->deaf = writes; }
void sim_noise(sim *s, int counts) { s->noise = counts; }
int sim_most_moving(const sim *s) { return s->most_moving; }

static void connect_uart(sim *s) {
    uint32_t flags = 0;
    avr_ioctl(s->avr, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
    flags &= ~(uint32_t)(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
    avr_ioctl(s->avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    s->uart_in = avr_io_getirq(s->avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
    avr_irq_register_notify(avr_io_getirq(s->avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), on_uart, s);
    avr_irq_register_notify(avr_io_getirq(s->avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XON), on_xon, s);
    avr_irq_register_notify(avr_io_getirq(s->avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XOFF), on_xoff, s);
}

static void connect_pins(sim *s) {
    for (int port = 'A'; port <= 'L'; port++) {
        for (int bit = 0; bit < 8; bit++) {
            avr_irq_t *irq = avr_io_getirq(s->avr, AVR_IOCTL_IOPORT_GETIRQ(port), bit);
            void **param;
            if (!irq) break;
            param = malloc(2 * sizeof *param); /* lives as long as the AVR */
            param[0] = s;
            param[1] = (void *)(uintptr_t)port;
            avr_irq_register_notify(irq, on_pin, param);
        }
    }
}

static void connect_buses(sim *s) {
    static const char *names[] = {"32<mark1.twi"};
    avr_irq_register_notify(avr_io_getirq(s->avr, AVR_IOCTL_SPI_GETIRQ(0), SPI_IRQ_OUTPUT), on_spi, s);
    avr_irq_register_notify(avr_io_getirq(s->avr, AVR_IOCTL_TWI_GETIRQ(0), TWI_IRQ_OUTPUT), on_twi, s);
    s->twi_in = avr_alloc_irq(&s->avr->irq_pool, 0, 1, names);
    avr_connect_irq(s->twi_in, avr_io_getirq(s->avr, AVR_IOCTL_TWI_GETIRQ(0), TWI_IRQ_INPUT));
    s->adc = avr_io_getirq(s->avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC0);
    avr_irq_register_notify(avr_io_getirq(s->avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_OUT_TRIGGER), on_convert, s);
}

/* simavr 1.6 takes timer 1's mode 14 of the ATmega328P for phase-correct PWM; the data sheet (table 15-5) and
 * simavr's own ATmega2560 say fast PWM. */
static void mend_timer(avr_t *avr) {
    for (avr_io_t *io = avr->io_port; io; io = io->next)
        if (strcmp(io->kind, "timer") == 0 && ((avr_timer_t *)io)->name == '1')
            ((avr_timer_t *)io)->wgm_op[14].kind = avr_timer_wgm_fast_pwm;
}

static void quiet_logger(avr_t *avr, const int level, const char *format, va_list ap) {}

/* Intel hex into flash; simavr's own reader stops at the start-address record that Optiboot's file has. */
static int load_bootloader(avr_t *avr, const char *name) {
    FILE *file = fopen(name, "r");
    unsigned size, address, type, byte, base = 0, first = 0xFFFFFFFFu;
    char line[600];
    if (!file) return 1;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, ":%2x%4x%2x", &size, &address, &type) != 3) continue;
        if (type == 2 && sscanf(line + 9, "%4x", &base) == 1) base *= 16;
        if (type != 0) continue;
        address += base;
        for (unsigned at = 0; at < size; at++) {
            if (sscanf(line + 9 + 2 * at, "%2x", &byte) != 1 || address + at > avr->flashend) break;
            avr->flash[address + at] = (uint8_t)byte;
        }
        if (address < first) first = address;
    }
    fclose(file);
    avr->reset_pc = first;
    avr->codeend = avr->flashend;
    return 0;
}

/* A board with the sketch in elf, and a bootloader's .hex in front of it if named. */
sim *sim_new(const char *mcu, const char *elf, const char *bootloader) {
    sim *s = calloc(1, sizeof *s);
    avr_global_logger_set(quiet_logger);
    if (elf_read_firmware(elf, &s->firmware) || !(s->avr = avr_make_mcu_by_name(mcu))) {
        free(s);
        return NULL;
    }
    avr_init(s->avr);
    s->avr->log = LOG_NONE;
    s->firmware.frequency = 16000000;
    avr_load_firmware(s->avr, &s->firmware);
    mend_timer(s->avr);
    s->avr->vcc = s->avr->avcc = s->avr->aref = 5000;
    s->chance = 1960;
    connect_uart(s);
    connect_pins(s);
    connect_buses(s);
    if (bootloader && *bootloader && load_bootloader(s->avr, bootloader)) return NULL;
    sim_reset(s, 1);
    return s;
}

void sim_free(sim *s) {
    avr_terminate(s->avr);
    free(s->in);
    free(s->out);
    free(s->trace);
    free(s);
}
