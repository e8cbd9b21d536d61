// A step of the grains: free flight, then contacts of every block with the bodies near it; impulses are added
// to the bodies in the order of the blocks.
#include "grains/grains_state.h"

#include <math.h>
#include <string.h>

#include "grains/grains_lanes.h"
#include "par/par.h"

typedef struct step_work {
    grains *g;
    const body_set *bodies;
    grain_flight flight;
    double dt;
} step_work;

// dv/dt = g - k v over dt.
static grain_flight flight_of(const grains *g, double dt) {
    double k = g->dragged ? 0 : g->drag, keep = exp(-k * dt);
    double travel = k * dt > 1e-9 ? -expm1(-k * dt) / k : dt;
    double drop = k * dt > 1e-4 ? (dt - travel) / k : dt * dt / 2 * (1 - k * dt / 3);
    grain_flight f = {(float)keep, (float)travel, {0}, {0}};
    const double gravity[3] = {g->gravity.x, g->gravity.y, g->gravity.z};
    for (int i = 0; i < 3; i++)
        f.gain[i] = (float)(travel * gravity[i]), f.drop[i] = (float)(drop * gravity[i]);
    return f;
}

static double farthest_motion(const body_set *bodies, size_t b, const grain_wall *w, double dt) {
    if (!w->bounded) return 0; // infinitely thick
    firn_vec3 low = {(double)w->low[0], (double)w->low[1], (double)w->low[2]};
    firn_vec3 high = {(double)w->high[0], (double)w->high[1], (double)w->high[2]};
    double arm = dvec_distance(low, high);
    return (dvec_length(body_state(bodies, b).velocity) + dvec_length(w->spin) * arm) * dt;
}

static void look_at_bodies(grains *g, const body_set *bodies, double dt) {
    for (size_t b = 0; b < g->wall_count; b++) {
        firn_body_state s = body_state(bodies, b);
        firn_vec3 low = {0}, high = {0};
        grain_wall *w = &g->walls[b];
        *w = (grain_wall){
            .body = b, .origin = s.position, .spin = s.spin, .wall = body_min_thickness(bodies, b)};
        w->bounded = body_bounds(bodies, b, dt, &low, &high);
        w->sampled = body_is_sampled(bodies, b);
        w->low[0] = (float)low.x, w->low[1] = (float)low.y, w->low[2] = (float)low.z;
        w->high[0] = (float)high.x, w->high[1] = (float)high.y, w->high[2] = (float)high.z;
        w->velocity = body_velocity_at(bodies, b, s.position);
        w->motion = farthest_motion(bodies, b, w, dt);
        w->friction = sqrt(g->friction * body_friction(bodies, b));
        w->restitution = fmax(g->restitution, body_restitution(bodies, b));
        w->dynamic = body_motion(bodies, b) == FIRN_MOTION_DYNAMIC;
    }
}

static void load_block(const grains *g, size_t begin, grain_block *b) {
    for (size_t i = 0; i < b->count; i++) {
        const float *p = g->position[begin + i], *v = g->velocity[begin + i];
        b->ox[i] = b->x[i] = p[0], b->oy[i] = b->y[i] = p[1], b->oz[i] = b->z[i] = p[2];
        b->u[i] = v[0], b->v[i] = v[1], b->w[i] = v[2];
    }
}

static void store_block(grains *g, size_t begin, const grain_block *b) {
    for (size_t i = 0; i < b->count; i++) {
        float *p = g->position[begin + i], *v = g->velocity[begin + i];
        p[0] = b->x[i], p[1] = b->y[i], p[2] = b->z[i];
        v[0] = b->u[i], v[1] = b->v[i], v[2] = b->w[i];
    }
}

static void measure_block(grains *g, size_t begin, size_t end) {
    uint32_t invalid = UINT32_MAX;
    float limit = (float)g->max_speed;
    for (size_t i = begin; i < end; i++) {
        const float *p = g->position[i], *v = g->velocity[i];
        float speed = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        g->speed[i] = speed;
        g->keep[i] =
            !(p[1] < (float)g->floor); // values that are not finite stay, and the watchdog finds them
        bool well =
            speed <= limit && fabsf(p[0]) < INFINITY && fabsf(p[1]) < INFINITY && fabsf(p[2]) < INFINITY;
        if (!well && invalid == UINT32_MAX) invalid = (uint32_t)i;
    }
    g->invalid[begin / GRAIN_BLOCK] = invalid;
}

static void measure_range(void *context, size_t begin, size_t end) { measure_block(context, begin, end); }

void grains_measure(grains *g) { par_for(g->count, GRAIN_BLOCK, measure_range, g); }

static void step_block(void *context, size_t begin, size_t end) {
    step_work *work = context;
    grains *g = work->g;
    grain_block block;
    block.count = end - begin;
    block.dt = work->dt;
    load_block(g, begin, &block);
    ISA_PICK(grains_fly)(&work->flight, block.count, block.x, block.y, block.z, block.u, block.v, block.w);
    grain_impulse *pushes = g->pushes + begin / GRAIN_BLOCK * g->wall_count;
    if (g->wall_count) memset(pushes, 0, g->wall_count * sizeof *pushes); // none: no array either
    grains_collide(g, work->bodies, &block, pushes);
    store_block(g, begin, &block);
    measure_block(g, begin, end);
}

// sums: by wall.
static void add_pushes(void *context, void *sums) {
    const grains *g = context;
    for (size_t b = 0; b < g->wall_count; b++) {
        grain_impulse *sum = (grain_impulse *)sums + b;
        for (size_t k = 0; k < grain_blocks(g->count); k++) {
            const grain_impulse *push = &g->pushes[k * g->wall_count + b];
            sum->impulse = dvec_add(sum->impulse, push->impulse);
            sum->twist = dvec_add(sum->twist, push->twist);
        }
    }
}

static void push_bodies(const grains *g, body_set *bodies) {
    if (g->wall_count == 0) return;
    grain_impulse *sums = g->pushes + grain_blocks(g->count) * g->wall_count;
    memset(sums, 0, g->wall_count * sizeof *sums);
    grains_ranks_sum(g, sums, add_pushes);
    for (size_t b = 0; b < g->wall_count; b++)
        body_add_impulses(bodies, b, sums[b].impulse, sums[b].twist, g->walls[b].origin);
}

static void move_up(void *context, size_t begin, size_t end) {
    grains *g = context;
    for (size_t i = begin; i < end; i++) {
        if (!g->keep[i]) continue;
        size_t to = g->place[i];
        memcpy(g->spare_position[to], g->position[i], sizeof *g->position);
        memcpy(g->spare_velocity[to], g->velocity[i], sizeof *g->velocity);
        g->spare_id[to] = g->id[i];
    }
}

static void swap(void *a, void *b) {
    void *pa, *pb;
    memcpy(&pa, a, sizeof pa);
    memcpy(&pb, b, sizeof pb);
    memcpy(a, &pb, sizeof pb);
    memcpy(b, &pa, sizeof pa);
}

// Those below the floor leave; the others keep their order.
static firn_status let_leave(grains *g) {
    uint32_t left;
    TRY(par_scan(g->keep, g->place, g->count, &left));
    if (!grains_ranks_any(g, left < g->count)) return FIRN_OK;
    par_for(g->count, GRAIN_BLOCK, move_up, g);
    swap(&g->position, &g->spare_position);
    swap(&g->velocity, &g->spare_velocity);
    swap(&g->id, &g->spare_id);
    g->count = left;
    TRY(grains_ranks_close_up(g));
    grains_measure(g);
    return FIRN_OK;
}

static firn_status advance(grains *g, body_set *bodies, model_step step) {
    TRY(grains_ranks_begin(g));
    profile_pass(&g->profile, "look at bodies");
    look_at_bodies(g, bodies, step.dt);
    size_t wanted = (grain_blocks(g->count) + 1) * g->wall_count;
    if (!array_reserve(&g->pushes, &g->push_capacity, wanted, sizeof *g->pushes))
        return fail_memory("summing up pushes of grains", wanted * sizeof *g->pushes);
    profile_pass(&g->profile, "fly and collide");
    step_work work = {g, bodies, flight_of(g, step.dt), step.dt};
    par_for(g->count, GRAIN_BLOCK, step_block, &work);
    profile_pass(&g->profile, "push bodies");
    push_bodies(g, bodies);
    profile_pass(&g->profile, "let leave");
    TRY(let_leave(g));
    profile_end(&g->profile);
    return FIRN_OK;
}

firn_status grains_step(void *model, body_set *bodies, model_step step) {
    return grains_ranks_end(model, advance(model, bodies, step));
}
