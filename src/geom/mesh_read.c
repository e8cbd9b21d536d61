// Mesh files are read by Assimp in a child process: damaged files crash it, hang it or make it eat memory,
// and then only the child dies. The mesh comes back through a pipe and everything in it is checked.
//
// The child is forked from a program that may have other threads. Strictly, only async-signal-safe calls are
// allowed there; with glibc, memory and streams also work after a fork, and Assimp is never entered by the
// parent, so that none of its locks can be held. If something does block, the time limit ends it.
#include "geom/mesh.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "geom/mesh_import.h"

#if FIRN_HAVE_ASSIMP

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

// ---- child

static rlim_t address_space_now(void) {
    char text[64] = {0};
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    unsigned long long pages = 0;
    if (got > 0) sscanf(text, "%llu", &pages);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void limit(int what, rlim_t most) {
    struct rlimit l;
    if (getrlimit(what, &l) < 0) return;
    if (l.rlim_max != RLIM_INFINITY && most > l.rlim_max) most = l.rlim_max;
    l.rlim_cur = most;
    setrlimit(what, &l);
}

static void quieten(void) {
    static const int signals[] = {SIGSEGV, SIGBUS,  SIGILL, SIGFPE,  SIGABRT,
                                  SIGXCPU, SIGTERM, SIGINT, SIGPIPE, SIGALRM};
    sigset_t none;
    sigemptyset(&none);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0) return;
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
}

static _Noreturn void run_child(const char *path, int pipe, uint64_t bytes, unsigned seconds) {
    quieten();
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, seconds);
    rlim_t now = address_space_now();
#ifndef SANITIZED // sanitizers reserve address space by the terabyte
    if (now) limit(RLIMIT_AS, now + ((rlim_t)64 << 20) + 256 * (rlim_t)bytes);
#else
    (void)now;
    (void)bytes;
#endif
    mesh_import(path, pipe);
    _exit(0);
}

// ---- parent

typedef struct child {
    pid_t id;
    int pipe;
    double deadline;
    bool late, odd; // timed out; sent invalid data
    bool stopped;   // cancelled by the caller
} child;

static firn_status start(const char *path, uint64_t bytes, child *c) {
    int ends[2];
    unsigned seconds = 4 + 2 * (unsigned)(bytes >> 20);
    TRY(mesh_import_prepare());
    if (pipe2(ends, O_CLOEXEC) < 0) return fail(FIRN_IO, "cannot read '%s': %s", path, strerror(errno));
    pid_t id = fork();
    if (id == 0) run_child(path, ends[1], bytes, seconds);
    close(ends[1]);
    if (id < 0) {
        close(ends[0]);
        return fail(FIRN_IO, "cannot start the reader of '%s': %s", path, strerror(errno));
    }
    *c = (child){.id = id, .pipe = ends[0], .deadline = clock_seconds() + 30.0 + 4.0 * seconds};
    return FIRN_OK;
}

// False if the pipe ends early, on timeout or if the caller cancels.
static bool receive(child *c, void *data, size_t bytes) {
    char *p = data;
    while (bytes) {
        double left = c->deadline - clock_seconds();
        struct pollfd wait = {.fd = c->pipe, .events = POLLIN};
        c->late = left <= 0.0;
        c->stopped = stop_asked();
        if (c->late || c->stopped) return false;
        int ready = poll(&wait, 1, left > 0.1 ? 100 : (int)(left * 1000.0) + 1);
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        ssize_t got = ready < 0 ? -1 : read(c->pipe, p, bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        p += got;
        bytes -= (size_t)got;
    }
    return true;
}

// Waits for the child, which has ended, ends at its next write, or is killed; returns its exit status, or 0
// if the embedding program has reaped it.
static int finish(child *c) {
    int how = 0;
    close(c->pipe);
    if (c->late || c->odd || c->stopped) kill(c->id, SIGKILL);
    while (waitpid(c->id, &how, 0) < 0)
        if (errno != EINTR) return 0;
    return how;
}

static firn_status check(const mesh *m, const char *path) {
    for (size_t i = 0; i < m->vertices; i++)
        if (!isfinite(m->position[i][0]) || !isfinite(m->position[i][1]) || !isfinite(m->position[i][2]))
            return fail(FIRN_BAD_INPUT, "mesh '%s' has a vertex that is not finite", path);
    for (size_t i = 0; i < m->triangles; i++)
        for (int k = 0; k < 3; k++)
            if (m->triangle[i][k] >= m->vertices)
                return fail(FIRN_BAD_INPUT, "mesh '%s' has a triangle with an invalid vertex index", path);
    return FIRN_OK;
}

static firn_status receive_mesh(child *c, const char *path, mesh *out, bool *broken) {
    mesh_import_head head;
    *broken = !receive(c, &head, sizeof head);
    if (*broken) return FIRN_BAD_INPUT;
    *broken = c->odd = head.magic != MESH_IMPORT_MAGIC || head.vertices > MESH_IMPORT_MAX ||
                       head.triangles > MESH_IMPORT_MAX;
    if (*broken) return FIRN_BAD_INPUT;
    head.problem[sizeof head.problem - 1] = 0;
    if (head.problem[0]) return fail(FIRN_BAD_INPUT, "mesh '%s' cannot be read: %s", path, head.problem);
    TRY(mesh_alloc((size_t)head.vertices, (size_t)head.triangles, false, out));
    uint64_t end = 0;
    *broken = !receive(c, out->position, out->vertices * sizeof *out->position) ||
              !receive(c, out->triangle, out->triangles * sizeof *out->triangle) ||
              !receive(c, &end, sizeof end) || end != MESH_IMPORT_END;
    return *broken ? FIRN_BAD_INPUT : check(out, path);
}

static firn_status broken_child(const child *c, int how, const char *path) {
    if (c->stopped) return stop_failed();
    if (c->late || (WIFSIGNALED(how) && WTERMSIG(how) == SIGXCPU))
        return fail(FIRN_BAD_INPUT, "mesh '%s' cannot be read: it takes too long", path);
    if (WIFSIGNALED(how))
        return fail(FIRN_BAD_INPUT, "mesh '%s' cannot be read: it crashes the reader (%s)", path,
                    strsignal(WTERMSIG(how)));
    return fail(FIRN_BAD_INPUT, "mesh '%s' cannot be read: the reader failed", path);
}

// A PLY header without end, or with more in it than the file can hold, keeps Assimp busy for seconds before
// it crashes.
static firn_status check_ply(const char *path, uint64_t bytes) {
    char head[16384];
    int file;
    uint64_t size;
    TRY(file_open(path, &file, &size));
    ssize_t got;
    do got = read(file, head, sizeof head - 1);
    while (got < 0 && errno == EINTR);
    close(file);
    if (got < 0) return fail(FIRN_IO, "cannot read '%s': %s", path, strerror(errno));
    head[got] = 0; // a 0 byte within ends the header, too
    if (strncmp(head, "ply", 3) != 0)
        return fail(FIRN_BAD_INPUT, "mesh '%s' cannot be read: it is not a PLY file", path);
    for (const char *line = head; line && *line; line = strpbrk(line, "\r\n")) {
        line += strspn(line, "\r\n");
        unsigned long long count;
        if (strncmp(line, "end_header", 10) == 0) return FIRN_OK;
        if (sscanf(line, "element %*99s %llu", &count) == 1 && count > bytes)
            return fail(FIRN_BAD_INPUT, "mesh '%s' cannot be read: it is shorter than its header says", path);
    }
    return fail(FIRN_BAD_INPUT, "mesh '%s' cannot be read: its header does not end", path);
}

static firn_status check_file(const char *path, uint64_t *bytes) {
    static const char *const endings[] = {".obj", ".ply", ".stl", ".off", ".gltf", ".glb", ".3ds", ".dae"};
    const char *dot = strrchr(path, '.');
    bool known = false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        known = known || (dot && strcasecmp(dot, endings[i]) == 0);
    int file;
    TRY(file_open(path, &file, bytes));
    close(file);
    if (!known)
        return fail(FIRN_BAD_INPUT,
                    "'%s' is not a mesh file; allowed: .obj, .ply, .stl, .off, .gltf, .glb, .3ds, .dae",
                    path);
    return strcasecmp(dot, ".ply") == 0 ? check_ply(path, *bytes) : FIRN_OK;
}

static firn_status join(mesh *m, const char *path) {
    mesh_joined joined;
    TRY(mesh_join(m, &joined));
    if (!m->triangles)
        return fail(FIRN_BAD_INPUT,
                    "mesh '%s' encloses nothing: all its triangles occur in both orientations", path);
    if (joined.repeated) log_note("mesh '%s': %zu duplicate triangles were dropped", path, joined.repeated);
    if (joined.cancelled)
        log_note("mesh '%s': %zu triangles that occur in both orientations cancel out and were dropped", path,
                 joined.cancelled);
    return FIRN_OK;
}

firn_status mesh_read(const char *path, mesh *out) {
    *out = (mesh){0};
    uint64_t bytes = 0;
    child c;
    mesh m = {0};
    bool broken = false;
    TRY(check_file(path, &bytes));
    TRY(start(path, bytes, &c));
    firn_status status = receive_mesh(&c, path, &m, &broken);
    int how = finish(&c);
    if (broken) status = broken_child(&c, how, path);
    if (status == FIRN_OK) status = join(&m, path);
    if (status != FIRN_OK)
        mesh_free(&m);
    else
        *out = m;
    return status;
}

#else

firn_status mesh_read(const char *path, mesh *out) {
    *out = (mesh){0};
    return fail(FIRN_UNSUPPORTED,
                "'%s': this build of firn cannot read mesh files: it was configured without Assimp", path);
}

#endif
