// Planes of a grid over ranks.
#include "net/net_slabs.h"

#include <string.h>

static int32_t units_of(int32_t n, int32_t unit) { return n / unit + (n % unit != 0); }

bool net_slabs_fit(size_t ranks, int32_t n, int32_t least) { return ranks <= (size_t)units_of(n, least); }

static int32_t best_unit(size_t ranks, int32_t n, int32_t least) {
    for (int32_t unit = 4 * least; unit > least; unit /= 2) {
        size_t units = (size_t)units_of(n, unit), most = (units + ranks - 1) / ranks * (size_t)unit;
        if (units >= ranks && 10 * most * ranks <= 11 * (size_t)n) return unit;
    }
    return least;
}

bool net_slabs_make(net_slabs *s, size_t ranks, size_t rank, int32_t n, int32_t least) {
    *s = (net_slabs){.ranks = ranks, .rank = rank, .n = n, .unit = least};
    if (ranks <= 1) return true;
    s->unit = best_unit(ranks, n, least);
    s->out = mem_zero(4 * ranks, sizeof *s->out);
    s->in = s->out + ranks;
    return s->out != NULL;
}

void net_slabs_free(net_slabs *s) {
    for (size_t r = 0; s->out && r < 2 * s->ranks; r++) net_buffer_free(&s->out[r]);
    mem_free(s->out);
    *s = (net_slabs){0};
}

net_slabs net_slabs_coarser(const net_slabs *s) {
    net_slabs c = *s;
    c.n = (s->n + 1) / 2, c.unit = s->unit / 2;
    return c;
}

int32_t net_slabs_first(const net_slabs *s, size_t rank) {
    if (s->ranks <= 1) return rank == 0 ? 1 : s->n + 1;
    size_t units = (size_t)units_of(s->n, s->unit), at = units * rank / s->ranks * (size_t)s->unit;
    return 1 + (at < (size_t)s->n ? (int32_t)at : s->n);
}

void net_slabs_own(const net_slabs *s, size_t rank, int32_t *low, int32_t *high) {
    bool last = rank + 1 >= s->ranks;
    *low = rank == 0 ? 0 : net_slabs_first(s, rank);
    *high = last ? s->n + 2 : net_slabs_first(s, rank + 1);
}

typedef struct span {
    int32_t low, high;
} span;

static span own_of(const net_slabs *s, size_t rank) {
    span own;
    net_slabs_own(s, rank, &own.low, &own.high);
    return own;
}

static span meet(span a, span b) {
    span both = {a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
    if (both.high < both.low) both.high = both.low;
    return both;
}

static size_t bytes_of(span planes, const net_planes *array, size_t count) {
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) bytes += (size_t)(planes.high - planes.low) * array[i].bytes;
    return bytes;
}

static void pack(span planes, const net_planes *array, size_t count, net_buffer *out) {
    for (size_t i = 0; i < count && planes.high > planes.low; i++)
        net_buffer_add(out, (const char *)array[i].data + (size_t)planes.low * array[i].bytes,
                       (size_t)(planes.high - planes.low) * array[i].bytes);
}

static void unpack(span planes, const net_planes *array, size_t count, const char *from) {
    for (size_t i = 0; i < count && planes.high > planes.low; i++) {
        size_t bytes = (size_t)(planes.high - planes.low) * array[i].bytes;
        memcpy((char *)array[i].data + (size_t)planes.low * array[i].bytes, from, bytes);
        from += bytes;
    }
}

// What goes from one rank to another: at most two runs of planes, before and behind its own.
typedef struct parcel {
    span run[2];
} parcel;
typedef parcel (*parcel_of)(const net_slabs *s, size_t from, size_t to, int32_t below, int32_t above);

static parcel rim_of(const net_slabs *s, size_t from, size_t to, int32_t below, int32_t above) {
    span have = own_of(s, from), own = own_of(s, to);
    if (from == to) return (parcel){0};
    return (parcel){
        {meet(have, (span){own.low - below, own.low}), meet(have, (span){own.high, own.high + above})}};
}

static parcel part_of(const net_slabs *s, size_t from, size_t to, int32_t below, int32_t above) {
    (void)below, (void)above;
    return (parcel){{from == 0 && to > 0 ? own_of(s, to) : (span){0}}};
}

static parcel part_from(const net_slabs *s, size_t from, size_t to, int32_t below, int32_t above) {
    (void)below, (void)above;
    return (parcel){{to == 0 && from > 0 ? own_of(s, from) : (span){0}}};
}

// One run of planes of one array goes from where it is to where it belongs.
static bool is_plain(const parcel *p, size_t count) {
    return count == 1 && (p->run[0].high == p->run[0].low || p->run[1].high == p->run[1].low);
}

static net_buffer direct(const parcel *p, const net_planes *array) {
    const span run = p->run[p->run[0].high == p->run[0].low];
    const size_t bytes = (size_t)(run.high - run.low) * array->bytes;
    return (net_buffer){(char *)array->data + (size_t)run.low * array->bytes, bytes, bytes};
}

// False: some rank is on both sides of another.
static bool pass_direct(const net_slabs *s, parcel_of what, int32_t below, int32_t above,
                        const net_planes *array, size_t count) {
    for (size_t r = 0; r < s->ranks; r++) {
        parcel to = what(s, s->rank, r, below, above), from = what(s, r, s->rank, below, above);
        if (!is_plain(&to, count) || !is_plain(&from, count)) return false;
        s->out[2 * s->ranks + r] = direct(&to, array);
        s->out[3 * s->ranks + r] = direct(&from, array);
    }
    net_exchange_known(s->out + 2 * s->ranks, s->out + 3 * s->ranks);
    return true;
}

static void pass(const net_slabs *s, parcel_of what, int32_t below, int32_t above, const net_planes *array,
                 size_t count) {
    if (!net_slabs_divide(s) || pass_direct(s, what, below, above, array, count)) return;
    for (size_t r = 0; r < s->ranks; r++) {
        parcel to = what(s, s->rank, r, below, above), from = what(s, r, s->rank, below, above);
        s->out[r].bytes = s->in[r].bytes = 0;
        for (int i = 0; i < 2; i++) {
            pack(to.run[i], array, count, &s->out[r]);
            s->in[r].bytes += bytes_of(from.run[i], array, count);
        }
    }
    net_exchange_known(s->out, s->in);
    for (size_t r = 0; r < s->ranks; r++) {
        parcel from = what(s, r, s->rank, below, above);
        const char *data = s->in[r].data;
        for (int i = 0; i < 2; i++) {
            unpack(from.run[i], array, count, data);
            data += bytes_of(from.run[i], array, count);
        }
    }
}

void net_slabs_fill(const net_slabs *s, int32_t below, int32_t above, const net_planes *array, size_t count) {
    pass(s, rim_of, below, above, array, count);
}

void net_slabs_scatter(const net_slabs *s, const net_planes *array, size_t count) {
    pass(s, part_of, 0, 0, array, count);
}

void net_slabs_gather(const net_slabs *s, const net_planes *array, size_t count) {
    pass(s, part_from, 0, 0, array, count);
}
