// One rank, for builds without MPI.
#include <stdio.h>
#include <stdlib.h>

#include "net/net.h"

size_t net_rank(void) { return 0; }
size_t net_count(void) { return 1; }

// Several processes that each take themselves for the only one would fight for the same folder.
firn_status net_start(int *argc, char ***argv) {
    (void)argc, (void)argv;
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *ranks = getenv(names[i]);
        if (ranks && atoi(ranks) > 1)
            return fail(FIRN_BAD_INPUT,
                        "started as one of %s ranks (%s), but this build of firn has no MPI: build it with "
                        "tools/build mpi",
                        ranks, names[i]);
    }
    return FIRN_OK;
}

void net_end(void) {}

_Noreturn void net_abort(const char *why) {
    fprintf(stderr, "firn: %s\n", why);
    abort();
}

void net_broadcast(void *data, size_t bytes, size_t root) { (void)data, (void)bytes, (void)root; }
void net_max(double *values, size_t count) { (void)values, (void)count; }

void net_gather_all(const void *own, size_t bytes, net_buffer *all, size_t *sizes) {
    all->bytes = 0;
    net_buffer_add(all, own, bytes);
    if (sizes) sizes[0] = bytes;
}

void net_exchange(const net_buffer *out, net_buffer *in) {
    in->bytes = 0;
    net_buffer_add(in, out->data, out->bytes);
}

void net_exchange_known(const net_buffer *out, net_buffer *in) { net_exchange(out, in); }
void net_start_known(const net_buffer *out, net_buffer *in) { net_exchange(out, in); }
void net_finish(void) {}

void net_in_order(void *data, size_t bytes, void (*fn)(void *context, void *data), void *context) {
    (void)bytes;
    fn(context, data);
}

void net_collect(const void *data, size_t bytes, void (*fn)(void *context, const void *data, size_t bytes),
                 void *context) {
    fn(context, data, bytes);
}

firn_status net_agree(firn_status status) { return status; }
firn_status net_told(firn_status status) { return status; }
void net_host(char out[NET_HOST_ROOM]) { out[0] = 0; }
net_traffic net_sent(void) { return (net_traffic){0}; }
double net_cpu_seconds(void) { return 0; }
