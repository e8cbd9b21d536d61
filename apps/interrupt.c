// Requests to save and stop a long command: signals and the wall time.
#include "command.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>

static volatile sig_atomic_t asked;

// s; `longest` is the longest time between two questions so far. They are asked between steps, so that it
// holds the longest step and the longest save.
static struct {
    double limit, started, last, longest;
    bool reached;
} wall;

double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void on_signal(int number) {
    // A second Ctrl-C ends the command at once. The other signals may repeat without a user's request: XCPU
    // every second, HUP from the kernel and from the shell.
    if (asked && (number == SIGINT || number == SIGTERM)) {
        signal(number, SIG_DFL);
        raise(number);
    }
    asked = 1;
}

void interrupt_watch(void) {
    // XCPU: the limit of CPU time. USR1, USR2, ALRM: what batch systems and wrappers send before a limit.
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU};
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        // nohup stays in force. (A shell that starts a job in the background ignores INT for it; `kill -INT`
        // should save all the same.)
        if (numbers[i] == SIGHUP && sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler == SIG_IGN)
            continue;
        sigaction(numbers[i], &action, NULL);
    }
    firn_set_stop(interrupt_asked, NULL); // also while a world is built
}

void interrupt_after(double seconds) {
    wall.limit = seconds;
    wall.started = seconds_now();
}

// Early enough for the step that runs next and the save after it.
static bool wall_time_reached(void) {
    if (!(wall.limit > 0)) return false;
    double now = seconds_now();
    if (wall.last > 0) wall.longest = fmax(wall.longest, now - wall.last);
    wall.last = now;
    double room = fmin(3 * wall.longest + fmin(2.0, wall.limit / 20), wall.limit / 2);
    wall.reached = wall.reached || now >= wall.started + wall.limit - room;
    return wall.reached;
}

bool interrupt_asked(void *context) {
    (void)context;
    return asked != 0 || wall_time_reached();
}

const char *interrupt_reason(void) { return !asked && wall.reached ? "wall time reached" : "interrupted"; }
