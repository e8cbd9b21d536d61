// The window's side: writes the states and the job into a folder of its own, starts the other process and
// reads its progress.
#include "proper.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "thread.h"

extern char **environ;

struct proper {
    frames *frames;
    monitor *lock;
    worker *thread; // of the last order
    void (*notify)(void *context);
    void *context;
    // Under the lock.
    proper_status status;
    pid_t child; // 0: none
    bool cancelled;
    // Of the order.
    proper_order order;
    char output[PATH_MAX], folder[PATH_MAX];
};

static void free_order(proper *p, proper_order *o) {
    for (size_t i = 0; i < o->states; i++) kept_drop(p->frames, o->state[i]);
    free(o->state);
    free(o->text);
    *o = (proper_order){0};
}

static void show(proper *p, double share, double eta) {
    monitor_enter(p->lock);
    p->status.share = share;
    p->status.eta = eta;
    monitor_leave(p->lock);
    p->notify(p->context);
}

static void finish(proper *p, bool good, const char *why) {
    monitor_enter(p->lock);
    p->status.busy = false;
    p->status.failed = !good;
    p->status.finished++;
    if (good)
        snprintf(p->status.message, sizeof p->status.message, "Saved %.700s", p->output);
    else
        snprintf(p->status.message, sizeof p->status.message, "%s",
                 p->cancelled ? "Rendering was cancelled" : why);
    monitor_leave(p->lock);
    p->notify(p->context);
}

// ---- The folder.

static bool make_folder(proper *p) {
    const char *place = getenv("TMPDIR");
    snprintf(p->folder, sizeof p->folder, "%.4000s/firn-view-XXXXXX", place && place[0] ? place : "/tmp");
    return mkdtemp(p->folder) != NULL;
}

static void state_path(const proper *p, size_t i, char *out, size_t room) {
    snprintf(out, room, "%s/state-%zu", p->folder, i);
}

static void remove_folder(proper *p) {
    char path[PATH_MAX + 64];
    for (size_t i = 0; i < p->order.states; i++) {
        state_path(p, i, path, sizeof path);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/job", p->folder);
    unlink(path);
    rmdir(p->folder);
}

static bool write_bytes(const char *path, const void *data, size_t bytes) {
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(data, 1, bytes, file) == bytes;
    if (file && fclose(file) != 0) good = false;
    return good;
}

static bool write_job(proper *p) {
    char path[PATH_MAX + 64];
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return false;
    fputs(p->order.text, out);
    bool good = true;
    for (size_t i = 0; i < p->order.states && good; i++) {
        const kept *k = p->order.state[i];
        state_path(p, i, path, sizeof path);
        good = write_bytes(path, k->data, k->bytes);
        fprintf(out, "state %s\n", path);
    }
    fclose(out);
    snprintf(path, sizeof path, "%s/job", p->folder);
    good = good && text && write_bytes(path, text, bytes);
    free(text);
    return good;
}

// ---- The process.

static bool start(proper *p, int *from) {
    char self[PATH_MAX], job[PATH_MAX + 8];
    int ends[2];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0 || pipe(ends) != 0) return false;
    self[length] = 0;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    snprintf(job, sizeof job, "%s/job", p->folder);
    char *words[] = {self, "view", "--draw", job, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    pid_t child = 0;
    monitor_enter(p->lock); // so that it is not cancelled before it is known
    bool good = !p->cancelled && posix_spawn(&child, self, &actions, NULL, words, environ) == 0;
    p->child = good ? child : 0;
    monitor_leave(p->lock);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!good) close(ends[0]);
    *from = ends[0];
    return good;
}

// Lines are "progress SHARE SECONDS"; the last other one says what went wrong.
static void follow(proper *p, int from, char *last, size_t room) {
    FILE *lines = fdopen(from, "r");
    char line[1024];
    if (!lines) {
        close(from);
        return;
    }
    while (fgets(line, sizeof line, lines)) {
        double share, eta;
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "progress %lf %lf", &share, &eta) == 2)
            show(p, share, eta);
        else if (line[0])
            snprintf(last, room, "%.600s", line);
    }
    fclose(lines);
}

static void work(void *context) {
    proper *p = context;
    char last[700] = "the process that draws could not be started";
    int from, status = -1;
    bool good = make_folder(p) && write_job(p);
    if (!good) snprintf(last, sizeof last, "cannot write to %.600s: %s", p->folder, strerror(errno));
    if (good && start(p, &from)) {
        snprintf(last, sizeof last, "the process that draws was ended");
        follow(p, from, last, sizeof last);
        pid_t child = p->child; // written by this thread only
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        monitor_enter(p->lock);
        p->child = 0;
        monitor_leave(p->lock);
    }
    remove_folder(p);
    free_order(p, &p->order);
    finish(p, status == 0, last);
}

// ---- Orders.

proper *proper_create(frames *f, void (*notify)(void *context), void *context) {
    proper *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->frames = f;
    p->notify = notify;
    p->context = context;
    p->lock = monitor_create();
    if (p->lock) return p;
    free(p);
    return NULL;
}

bool proper_begin(proper *p, proper_order order) {
    bool busy = proper_now(p).busy;
    if (busy || !order.text) {
        free_order(p, &order);
        return false;
    }
    worker_join(p->thread);
    snprintf(p->output, sizeof p->output, "%s", order.output);
    p->order = order;
    monitor_enter(p->lock);
    p->status = (proper_status){.busy = true, .finished = p->status.finished};
    p->cancelled = false;
    monitor_leave(p->lock);
    p->thread = worker_start(work, p);
    if (p->thread) return true;
    free_order(p, &p->order);
    finish(p, false, "out of memory while starting to draw");
    return false;
}

void proper_cancel(proper *p) {
    monitor_enter(p->lock);
    p->cancelled = true;
    if (p->child > 0) kill(p->child, SIGTERM);
    monitor_leave(p->lock);
}

proper_status proper_now(proper *p) {
    monitor_enter(p->lock);
    proper_status s = p->status;
    monitor_leave(p->lock);
    return s;
}

void proper_free(proper *p) {
    if (!p) return;
    proper_cancel(p);
    worker_join(p->thread);
    monitor_free(p->lock);
    free(p);
}
