#include "command.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t asked;

static void on_signal(int number) {
    (void)number;
    asked = 1;
}

void interrupt_watch(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    // Once: a second Ctrl-C ends the command at once.
    action.sa_flags = SA_RESTART | (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool interrupt_asked(void *context) {
    (void)context;
    return asked != 0;
}
