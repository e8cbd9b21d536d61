// Ranks over MPI.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/net.h"

// MPI counts in int: longer messages go in parts.
enum { PART = 1 << 30, TAG = 7, MESSAGE_ROOM = 4096 };

static bool started;
static int own, all = 1;
static net_traffic sent;
static double started_at;                // s, of the clock
static int error_output = STDERR_FILENO; // of the process, also when its standard error leads nowhere
static struct {
    MPI_Request *item;
    MPI_Status *status; // nobody reads them, but MPICH does not allow none without a warning of the compiler
    size_t capacity, status_capacity;
    int count;
} pending;
static int *lengths; // scratch, 2 by rank

size_t net_rank(void) { return (size_t)own; }
size_t net_count(void) { return (size_t)all; }

void net_host(char out[NET_HOST_ROOM]) {
    char host[MPI_MAX_PROCESSOR_NAME] = "?";
    int length;
    if (started) MPI_Get_processor_name(host, &length);
    snprintf(out, NET_HOST_ROOM, "%s", host);
}

_Noreturn void net_abort(const char *why) {
    char host[NET_HOST_ROOM];
    net_host(host);
    dprintf(error_output, "firn: rank %d of %d on %s: %s; all ranks end\n", own, all, host, why);
    if (started) MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

double net_cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- a network that is not there

// FIRN_NET_MODEL=MICROSECONDS,GB/S: each rank has a clock, which its work moves on by the time of the
// processor that it takes, and messages take their clocks along. So the time of a run over any network comes
// out on any machine, however many ranks share its processors; docs/cluster.md.
static struct {
    bool on;
    double latency, per_byte;      // s
    double now, leaves;            // s; the last message
    double worked_from;            // s of the processor
    double *sent_at, *received_at; // by rank
    int rounds;                    // of a collective
} model;

static void model_start(void) {
    const char *text = getenv("FIRN_NET_MODEL");
    double latency, bandwidth;
    if (!text || sscanf(text, "%lf,%lf", &latency, &bandwidth) != 2 || !(latency >= 0) || !(bandwidth > 0))
        return;
    model.sent_at = mem_zero(2 * (size_t)all, sizeof *model.sent_at);
    if (!model.sent_at) net_abort("out of memory");
    model.received_at = model.sent_at + all;
    model.latency = latency * 1e-6, model.per_byte = 1e-9 / bandwidth;
    for (int n = 1; n < all; n *= 2) model.rounds++;
    model.worked_from = net_cpu_seconds();
    model.on = true;
}

static void model_worked(void) {
    if (model.on) model.now += net_cpu_seconds() - model.worked_from;
}
static void model_back_to_work(void) { model.worked_from = net_cpu_seconds(); }

// A collective begins when the last is there, and takes rounds of messages between pairs. bytes: that a rank
// sends in all of them.
static void model_collective(double bytes) {
    if (!model.on) return;
    model_worked();
    MPI_Allreduce(MPI_IN_PLACE, &model.now, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    model.now += model.rounds * model.latency + bytes * model.per_byte;
    model_back_to_work();
}

net_traffic net_sent(void) {
    net_traffic t = sent;
    t.worked = started ? clock_seconds() - started_at - sent.waited : 0;
    t.modelled = model.now;
    return t;
}

// ---- start and end

// A process that exits by itself, with an error or not, must not leave the others waiting.
static void left_early(void) {
    int ended = 0;
    if (started) MPI_Finalized(&ended);
    if (started && !ended) MPI_Abort(MPI_COMM_WORLD, 1);
}

// Started by hand, it is the only rank, and MPI, which takes a tenth of a second to start, is left out.
static bool is_launched(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i])) return true;
    return false;
}

firn_status net_start(int *argc, char ***argv) {
    int level;
    if (started || !is_launched()) return FIRN_OK;
    if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return fail(FIRN_IO, "MPI cannot be started");
    started = true;
    started_at = clock_seconds();
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    int copy = dup(STDERR_FILENO);
    if (copy >= 0) error_output = copy;
    atexit(left_early);
    lengths = mem_zero(2 * (size_t)all, sizeof *lengths);
    if (level < MPI_THREAD_FUNNELED) net_abort("this MPI does not work with threads");
    if (!lengths) net_abort("out of memory");
    model_start();
    return FIRN_OK;
}

void net_end(void) {
    if (!started) return;
    MPI_Finalize();
    mem_free(lengths);
    mem_free(model.sent_at);
    model.on = false;
    mem_free(pending.item);
    mem_free(pending.status);
    memset(&pending, 0, sizeof pending);
    started = false;
}

static size_t part_of(size_t bytes) { return bytes < PART ? bytes : PART; }

// ---- waiting

// What waiting takes is counted from here.
typedef struct wait_mark {
    double real, cpu;
} wait_mark;

static wait_mark begin_wait(void) { return (wait_mark){clock_seconds(), net_cpu_seconds()}; }
static void end_wait(wait_mark begun) {
    sent.waited += clock_seconds() - begun.real;
    sent.waited_cpu += net_cpu_seconds() - begun.cpu;
    model_back_to_work();
}

// MPI polls without end while it waits, and takes the processor from the rank that it waits for where they
// share one. Here it polls for as long as an answer over a network takes, and then sleeps in between, for
// a tenth of the time that it has waited.
static void wait_for(int count, MPI_Request *request, MPI_Status *status) {
    static const double POLL = 10e-6, SHORTEST = 10e-6, LONGEST = 1e-3; // s
    int done = 0;
    double begun = clock_seconds();
    for (;;) {
        MPI_Testall(count, request, &done, status);
        if (done) return;
        double waited = clock_seconds() - begun;
        if (waited < POLL) continue;
        double nap = fmin(fmax(waited / 10, SHORTEST), LONGEST);
        nanosleep(&(struct timespec){0, (long)(nap * 1e9)}, NULL);
    }
}
static void wait_for_one(MPI_Request request) { wait_for(1, &request, &(MPI_Status){0}); }

void net_broadcast(void *data, size_t bytes, size_t root) {
    if (all == 1) return;
    sent.collectives++;
    model_collective((double)bytes);
    wait_mark begun = begin_wait();
    for (size_t at = 0; at < bytes; at += PART) {
        MPI_Request request;
        MPI_Ibcast((char *)data + at, (int)part_of(bytes - at), MPI_BYTE, (int)root, MPI_COMM_WORLD,
                   &request);
        wait_for_one(request);
    }
    end_wait(begun);
}

void net_max(double *values, size_t count) {
    if (all == 1) return;
    sent.collectives++;
    model_collective(0);
    wait_mark begun = begin_wait();
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, values, (int)count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
    wait_for_one(request);
    end_wait(begun);
}

static MPI_Request *next_request(void) {
    size_t count = (size_t)pending.count + 1;
    if (!array_reserve(&pending.item, &pending.capacity, count, sizeof *pending.item) ||
        !array_reserve(&pending.status, &pending.status_capacity, count, sizeof *pending.status))
        net_abort("out of memory for messages");
    return &pending.item[pending.count++];
}

void net_finish(void) {
    model_worked();
    wait_mark begun = begin_wait();
    if (pending.count > 0) wait_for(pending.count, pending.item, pending.status);
    pending.count = 0;
    end_wait(begun);
    for (int r = 0; r < all && model.on; r++) {
        model.now = fmax(model.now, model.received_at[r]);
        model.received_at[r] = 0;
    }
    if (model.on) model_back_to_work();
}

// Parts of a message between two ranks arrive in their order.
static void start_sending(const net_buffer *b, int to) {
    if (b->bytes > 0) sent.messages++, sent.bytes += b->bytes;
    for (size_t at = 0; at < b->bytes; at += PART)
        MPI_Isend(b->data + at, (int)part_of(b->bytes - at), MPI_BYTE, to, TAG, MPI_COMM_WORLD,
                  next_request());
    if (!model.on || b->bytes == 0) return;
    model.leaves += (double)b->bytes * model.per_byte; // one after the other
    model.sent_at[to] = model.leaves + model.latency;
    MPI_Isend(&model.sent_at[to], 1, MPI_DOUBLE, to, TAG + 1, MPI_COMM_WORLD, next_request());
}

static void start_receiving(char *data, size_t bytes, int from) {
    for (size_t at = 0; at < bytes; at += PART)
        MPI_Irecv(data + at, (int)part_of(bytes - at), MPI_BYTE, from, TAG, MPI_COMM_WORLD, next_request());
    if (model.on && bytes > 0)
        MPI_Irecv(&model.received_at[from], 1, MPI_DOUBLE, from, TAG + 1, MPI_COMM_WORLD, next_request());
}

void net_start_known(const net_buffer *out, net_buffer *in) {
    model_worked();
    model.leaves = model.now;
    for (int r = 0; r < all; r++) {
        size_t bytes = r == own ? out[r].bytes : in[r].bytes;
        in[r].bytes = 0;
        char *room = net_buffer_room(&in[r], bytes);
        if (r != own)
            start_receiving(room, bytes, r);
        else if (bytes > 0)
            memcpy(room, out[r].data, bytes);
    }
    for (int r = 0; r < all; r++)
        if (r != own) start_sending(&out[r], r);
    if (model.on) model_back_to_work();
}

void net_exchange_known(const net_buffer *out, net_buffer *in) {
    net_start_known(out, in);
    net_finish();
}

void net_exchange(const net_buffer *out, net_buffer *in) {
    if (all == 1) {
        net_exchange_known(out, in);
        return;
    }
    uint64_t *bytes = mem_zero(2 * (size_t)all, sizeof *bytes);
    if (!bytes) net_abort("out of memory for messages");
    uint64_t *theirs = bytes + all;
    for (int r = 0; r < all; r++) bytes[r] = out[r].bytes;
    sent.collectives++;
    model_collective((double)sizeof(uint64_t) * all / 2 * model.rounds);
    wait_mark begun = begin_wait();
    MPI_Request request;
    MPI_Ialltoall(bytes, 1, MPI_UINT64_T, theirs, 1, MPI_UINT64_T, MPI_COMM_WORLD, &request);
    wait_for_one(request);
    end_wait(begun);
    for (int r = 0; r < all; r++) in[r].bytes = theirs[r];
    mem_free(bytes);
    net_exchange_known(out, in);
}

// Short pieces by MPI itself; where together they are longer than it can count, one broadcast for each rank.
void net_gather_all(const void *data, size_t bytes, net_buffer *result, size_t *sizes) {
    if (all == 1) {
        result->bytes = 0;
        net_buffer_add(result, data, bytes);
        if (sizes) sizes[0] = bytes;
        return;
    }
    uint64_t mine = bytes, *theirs = mem_zero((size_t)all, sizeof *theirs), total = 0;
    if (!theirs) net_abort("out of memory for messages");
    model_collective((double)sizeof(uint64_t) * all);
    wait_mark begun = begin_wait();
    MPI_Request request;
    MPI_Iallgather(&mine, 1, MPI_UINT64_T, theirs, 1, MPI_UINT64_T, MPI_COMM_WORLD, &request);
    wait_for_one(request);
    sent.collectives++;
    for (int r = 0; r < all; r++) total += theirs[r];
    for (int r = 0; r < all && sizes; r++) sizes[r] = theirs[r];
    result->bytes = 0;
    char *to = net_buffer_room(result, total);
    if (total > 0 && total < PART) {
        model_collective((double)total);
        int *count = lengths, *first = lengths + all;
        for (int r = 0, at = 0; r < all; r++) {
            count[r] = (int)theirs[r], first[r] = at;
            at += count[r];
        }
        MPI_Iallgatherv(data, (int)bytes, MPI_BYTE, to, count, first, MPI_BYTE, MPI_COMM_WORLD, &request);
        wait_for_one(request);
        sent.collectives++;
    }
    end_wait(begun);
    if (total >= PART) {
        for (int r = 0; r < all; r++) {
            if (r == own && bytes > 0) memcpy(to, data, bytes);
            net_broadcast(to, theirs[r], (size_t)r);
            to += theirs[r];
        }
    }
    mem_free(theirs);
}

void net_in_order(void *data, size_t bytes, void (*fn)(void *context, void *data), void *context) {
    net_buffer message = {.data = data, .bytes = bytes, .capacity = bytes};
    if (own > 0) {
        start_receiving(data, bytes, own - 1);
        net_finish();
    }
    fn(context, data);
    model_worked();
    model.leaves = model.now;
    if (own + 1 < all) start_sending(&message, own + 1);
    if (model.on) model_back_to_work();
    net_finish();
    net_broadcast(data, bytes, (size_t)all - 1);
}

enum { PIECE = 1 << 22 };

static void collect_from(int rank, uint64_t bytes, char *room,
                         void (*fn)(void *context, const void *data, size_t bytes), void *context) {
    for (uint64_t at = 0; at < bytes; at += PIECE) {
        size_t piece = bytes - at < PIECE ? (size_t)(bytes - at) : PIECE;
        start_receiving(room, piece, rank);
        net_finish();
        fn(context, room, piece);
    }
}

void net_collect(const void *data, size_t bytes, void (*fn)(void *context, const void *data, size_t bytes),
                 void *context) {
    net_buffer sizes = {0};
    net_gather_all(&(uint64_t){bytes}, sizeof(uint64_t), &sizes, NULL);
    const uint64_t *of = (const uint64_t *)(const void *)sizes.data;
    if (own == 0) {
        fn(context, data, bytes);
        char *room = all > 1 ? mem_alloc(PIECE) : NULL;
        if (all > 1 && !room) net_abort("out of memory for messages");
        for (int r = 1; r < all; r++) collect_from(r, of[r], room, fn, context);
        mem_free(room);
    }
    for (uint64_t at = 0; own > 0 && at < bytes; at += PIECE) {
        size_t piece = bytes - at < PIECE ? (size_t)(bytes - at) : PIECE;
        start_sending(&(net_buffer){(char *)(uintptr_t)data + at, piece, piece}, 0);
        net_finish();
    }
    net_buffer_free(&sizes);
}

firn_status net_told(firn_status status) {
    char host[NET_HOST_ROOM], text[MESSAGE_ROOM];
    bool alone = status == FIRN_NO_MEMORY || status == FIRN_IO;
    if (!alone || all == 1 || strncmp(firn_last_error(), "rank ", 5) == 0) return status;
    net_host(host);
    snprintf(text, sizeof text, "rank %d on %s: %s", own, host, firn_last_error());
    return fail_text(status, text);
}

firn_status net_agree(firn_status status) {
    if (all == 1) return status;
    struct {
        int first, status;
        char text[MESSAGE_ROOM];
    } failure = {.first = status == FIRN_OK ? all : own, .status = (int)status};
    sent.collectives++;
    wait_mark begun = begin_wait();
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, &failure.first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
    wait_for_one(request);
    end_wait(begun);
    int first = failure.first;
    if (first == all) return FIRN_OK;
    if (first == own) {
        (void)net_told(status);
        failure.status = (int)status;
        snprintf(failure.text, sizeof failure.text, "%s", firn_last_error());
    }
    net_broadcast(&failure, sizeof failure, (size_t)first);
    return first == own ? status : fail_text((firn_status)failure.status, failure.text);
}
