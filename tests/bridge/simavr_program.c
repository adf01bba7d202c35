/* The simavr runner as a program: puts the board behind a pty, paced to real time if asked. */
#include "simavr_runner.c"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t reset_asked;
static void ask_reset(int number) { reset_asked = number == SIGUSR1 ? 2 : 4; }

static int64_t wall_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

/* Bytes between the pty and the line; never more than 64 wait, so that the pty's own buffer fills as a real one does. */
static void exchange(sim *s, int master) {
    uint8_t buffer[256];
    ssize_t size;
    if (sim_waiting(s) < 64 && (size = read(master, buffer, 64)) > 0) sim_feed(s, buffer, (size_t)size);
    while ((size = (ssize_t)sim_take(s, buffer, sizeof buffer)) > 0)
        if (write(master, buffer, (size_t)size) < 0 && errno != EAGAIN) return;
}

static void pace(const sim *s, int64_t start_us) {
    const int64_t ahead = (int64_t)(s->avr->cycle / 16) - (wall_us() - start_us);
    if (ahead > 200) usleep((useconds_t)ahead);
}

/* simavr_runner MCU ELF paced|free [bootloader.hex]: prints the pty; SIGUSR1 resets, SIGUSR2 browns out; ends with stdin. */
int main(int argc, char **argv) {
    struct termios raw;
    struct pollfd input = {.fd = 0, .events = POLLIN};
    int master, slave, paced;
    char name[128];
    int64_t start_us;
    sim *s;
    if (argc < 4 || !(s = sim_new(argv[1], argv[2], argc > 4 ? argv[4] : NULL))) return 2;
    paced = strcmp(argv[3], "paced") == 0;
    if (openpty(&master, &slave, name, NULL, NULL)) return 1; /* the slave stays open, so that a host may come and go */
    tcgetattr(slave, &raw);
    cfmakeraw(&raw);
    tcsetattr(slave, TCSANOW, &raw);
    fcntl(master, F_SETFL, O_NONBLOCK);
    signal(SIGUSR1, ask_reset);
    signal(SIGUSR2, ask_reset);
    printf("%s\n", name);
    fflush(stdout);
    start_us = wall_us();
    while (poll(&input, 1, 0) == 0) { /* the parent never writes; when it dies, stdin closes */
        if (reset_asked) sim_reset(s, reset_asked), reset_asked = 0;
        if (sim_run(s, s->avr->cycle + 4000)) return 3;
        exchange(s, master);
        if (paced) pace(s, start_us);
    }
    return 0;
}
