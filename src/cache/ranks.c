// Runs on several ranks: beginning and end, for programs and for firn_run.
#include "cache/ranks.h"

#include <firn/ranks.h>

#include <math.h>

#include "net/net.h"

firn_status firn_ranks_start(int *argc, char ***argv) {
    NEED(argc);
    NEED(argv);
    return net_start(argc, argv);
}

size_t firn_rank(void) { return net_rank(); }
size_t firn_rank_count(void) { return net_count(); }

static net_buffer work; // of rank 0: a firn_rank_work of each

firn_rank_work firn_rank_work_of(size_t rank) {
    if (rank >= work.bytes / sizeof(firn_rank_work)) return (firn_rank_work){0};
    return ((const firn_rank_work *)(const void *)work.data)[rank];
}

// Collective.
static void collect_work(void) {
    net_traffic sent = net_sent();
    firn_rank_work own = {sent.bytes,      sent.messages,     sent.collectives, mem_peak(),    sent.waited,
                          sent.waited_cpu, net_cpu_seconds(), sent.worked,      sent.modelled, ""};
    _Static_assert(sizeof own.host == NET_HOST_ROOM, "room for the name of a machine");
    net_host(own.host);
    net_gather_all(&own, sizeof own, &work, NULL);
    if (net_rank() > 0) net_buffer_free(&work);
}

void firn_ranks_end(void) {
    net_buffer_free(&work);
    net_end();
}

bool ranks_serve(const char *path, firn_overrides overrides, firn_status *status) {
    scene *s;
    firn_world *world = NULL;
    if (net_rank() == 0) return false;
    log_silence(true);
    *status = scene_open(path, overrides, &s);
    world_ranks_together(true);
    if (*status == FIRN_OK) *status = world_create_to_serve(&s->def.world, &world);
    world_ranks_together(false);
    if (s) scene_close(s);
    *status = net_agree(*status);
    if (*status == FIRN_OK) {
        world_serve(world);
        collect_work();
    }
    firn_world_close(world);
    return true;
}

firn_status ranks_begin(firn_status status, firn_world *world) {
    if (net_count() == 1) return status;
    if (status == FIRN_OK) status = world_ranks_check(world_def(world));
    status = net_agree(status);
    if (status == FIRN_OK) world_ranks_use(world);
    return status;
}

firn_status ranks_end(firn_status status) {
    if (net_count() == 1) return status;
    status = net_told(status);
    world_ranks_end();
    collect_work();
    return status;
}

// ---- estimates

static const double LATENCY = 5e-6, BYTES_PER_SECOND = 1e9; // of a network

// A rank's blocks are thought of as a cube, with one more block all around where other ranks are: all of them
// make up a cube, too, so that of the 6 N faces 6 N^(2/3) have none. Ranges of the Morton curve are more
// jagged than cubes, and blocks at a surface less full: so many times as many patches are sent. Measured in
// docs/cluster.md, like what a block of the rim costs, compared with a full one.
static const double PATCHES = 1.75, MOST_PATCHES = 2.3, RIM_WORK = 0.4;
enum {
    BLOCK_CELLS = 64,
    PATCH_BYTES = 16 * 7 * 7 * 7,
    PARTICLE_BYTES = 104,   // in files and messages
    COLLECTIVES = 10,       // of a step, each in as many rounds as two to the power of which are ranks
    EXCHANGES = 3 + 8 * 11, // and between neighbours: eight colours in eleven passes over contacts
};

static double rounds_of(size_t ranks) { return ceil(log2((double)ranks)); }

static firn_rank_cost estimate_mpm(const firn_mpm_def *mpm, const firn_cost *cost, size_t ranks) {
    double particles = (double)cost->particles, per_block = BLOCK_CELLS * (double)mpm->per_cell;
    double own = particles / (double)ranks, blocks = fmax(own / per_block, 1), edge = cbrt(blocks);
    double rim = (pow(edge + 2, 3) - blocks) * (1 - 1 / cbrt((double)ranks)), steps = (double)cost->steps;
    double waits = (COLLECTIVES * rounds_of(ranks) + EXCHANGES) * LATENCY +
                   MOST_PATCHES * rim * PATCH_BYTES / BYTES_PER_SECOND;
    double of_all = fmax(particles, 1), slab = ranks > 1 ? 1.5 * own * PARTICLE_BYTES : 0;
    uint64_t memory = (uint64_t)((double)cost->memory * (own + rim * per_block) / of_all + slab);
    return (firn_rank_cost){
        .memory_first = memory + (uint64_t)(ranks > 1 ? 2 * particles * PARTICLE_BYTES : 0),
        .memory = memory,
        .bytes = (uint64_t)(PATCHES * rim * PATCH_BYTES),
        .messages = (uint64_t)fmin(26, (double)(ranks - 1)),
        .seconds =
            cost->seconds * (own + RIM_WORK * rim * per_block) / of_all + (ranks > 1 ? steps * waits : 0),
    };
}

// Grains do not meet each other: bodies go from rank to rank, with what each has got.
static firn_rank_cost estimate_grains(size_t bodies, const firn_cost *cost, size_t ranks) {
    enum { BODY_BYTES = 48, GRAIN_BYTES = 28, MAXIMA = 4 };
    double particles = (double)cost->particles, steps = (double)cost->steps, own = particles / (double)ranks;
    double traffic = ranks > 1 ? (double)(bodies * BODY_BYTES) : 0;
    double waits = ranks > 1 ? (double)ranks * (LATENCY + traffic / BYTES_PER_SECOND) +
                                   MAXIMA * LATENCY * rounds_of(ranks)
                             : 0;
    uint64_t memory = (uint64_t)((double)cost->memory / (double)ranks + (ranks > 1 ? own * GRAIN_BYTES : 0));
    return (firn_rank_cost){
        .memory_first = ranks > 1 ? cost->memory + memory : memory,
        .memory = memory,
        .bytes = (uint64_t)traffic,
        .messages = ranks > 1,
        .seconds = cost->seconds / (double)ranks + steps * waits,
    };
}

// Whole tiles go between two strips where bodies are near their border, a few times in a step; all ranks see
// all bodies, and know all tiles.
static firn_rank_cost estimate_field(const firn_world_def *def, const firn_cost *cost, size_t ranks) {
    enum { CELL_BYTES = 40, TILE_BYTES = 360, TELLINGS = 12, TIMES = 4 };
    double steps = (double)cost->steps, cells = (double)cost->cells, tile = def->field->tile;
    double common = cells / (tile * tile) * TILE_BYTES, own = cells * CELL_BYTES / (double)ranks;
    double border = ranks > 1 ? fmin(2 * TIMES * tile * tile * CELL_BYTES, own) : 0;
    double waits = ranks > 1 ? TELLINGS * LATENCY * rounds_of(ranks) + border / BYTES_PER_SECOND : 0;
    uint64_t memory = (uint64_t)((double)cost->memory / (double)ranks + (ranks > 1 ? common + border : 0));
    return (firn_rank_cost){
        .memory_first = ranks > 1 ? cost->memory + memory : memory,
        .memory = memory,
        .bytes = (uint64_t)border,
        .messages = ranks > 1 ? 2 : 0,
        .seconds = cost->seconds / (double)ranks + steps * waits,
    };
}

// Slabs of planes along z; from those beside it a rank gets the air some times in a step, coarse grids of the
// pressure are on all.
static firn_rank_cost estimate_wind(const firn_wind_def *wind, const firn_cost *cost, size_t ranks) {
    enum { HALO = 16, PLANES_SENT = 75, HALOS = 95, SUMS = 35 };
    const double plane = (wind->grid.x + 2) * (wind->grid.y + 2), steps = (double)cost->steps;
    const double planes = wind->grid.z / (double)ranks, more = ranks > 1 ? HALO : 0;
    const double bytes = ranks > 1 ? PLANES_SENT * plane * sizeof(float) : 0; // over one border
    const double borders = ranks > 2 ? 2 : 1;
    const double waits =
        ranks > 1 ? (HALOS + SUMS * rounds_of(ranks)) * LATENCY + borders * bytes / BYTES_PER_SECOND : 0;
    const double memory = (double)cost->memory * fmin((planes + more) / wind->grid.z, 1);
    // When it goes on from a checkpoint the first rank has the velocities and the pressure of all.
    const double whole = ranks > 1 ? 4 * sizeof(float) * plane * wind->grid.z : 0;
    return (firn_rank_cost){
        .memory_first = (uint64_t)(memory + whole),
        .memory = (uint64_t)memory,
        .bytes = (uint64_t)(borders * bytes),
        .messages = ranks > 1 ? (uint64_t)borders : 0,
        .seconds = cost->seconds / (double)ranks + steps * waits,
    };
}

static firn_rank_cost estimate(const firn_world_def *def, const firn_cost *cost, size_t ranks) {
    if (def->field) return estimate_field(def, cost, ranks);
    if (def->wind) return estimate_wind(def->wind, cost, ranks);
    return def->mpm ? estimate_mpm(def->mpm, cost, ranks) : estimate_grains(def->bodies.count, cost, ranks);
}

// Wind is divided by slabs of at least four planes.
static size_t most_ranks(const firn_world_def *def) {
    enum { PLANES = 4, MOST = 1000000 };
    return def->wind ? (size_t)ceil(def->wind->grid.z / PLANES) : MOST;
}

firn_status firn_scene_check_ranks(const char *path, firn_overrides overrides, const firn_cost *cost,
                                   size_t ranks, firn_rank_cost *out) {
    NEED(path);
    NEED(cost);
    NEED(out);
    *out = (firn_rank_cost){0};
    if (ranks < 1 || ranks > 1000000)
        return fail(FIRN_BAD_INPUT, "invalid number of ranks %zu: must be from 1 to 1000000", ranks);
    scene *s;
    TRY(scene_open(path, overrides, &s));
    firn_status status = world_ranks_check(&s->def.world);
    const firn_world_def *def = &s->def.world;
    if (status == FIRN_OK && !def->mpm && !def->grains && !def->field && !def->wind)
        status = fail(FIRN_BAD_INPUT,
                      "this scene has nothing to divide among ranks: no mpm, grains, field or wind");
    if (status == FIRN_OK && ranks > most_ranks(def))
        status =
            fail(FIRN_BAD_INPUT, "wind of %g planes of cells along z is enough for %zu ranks, not for %zu",
                 def->wind->grid.z, most_ranks(def), ranks);
    if (status == FIRN_OK) {
        *out = estimate(def, cost, ranks);
        out->proposed = 1;
        for (size_t n = 2; n <= 4096 && n <= most_ranks(def); n *= 2)
            if (estimate(def, cost, n).seconds * (double)n * 0.75 <= cost->seconds) out->proposed = n;
    }
    scene_close(s);
    return status;
}
