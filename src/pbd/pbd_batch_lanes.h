// The loops of every solver over one type of constraints between a fixed number of particles, written once.
// Included by <type>_lanes.c, which defines
//   PBD_ARITY, PBD_PARAMS   particles and numbers of one constraint
//   PBD_LANES               the name of its table of loops (declared in pbd_lanes.h)
//   value_of(x, rest, g)    C at positions x[PBD_ARITY], and its gradients into g
// or, of two particles, PBD_PAIR and
//   value_of(x, rest, g, &length)  where the gradients are g / length and the opposite, of length 1
// or, where one constraint has several values that are solved together,
//   PBD_MULTIPLIERS         how many
//   solve_of(x, w, rest, compliance / dt2, lambda, delta_lambda, move)  one projection of all of them:
//                           changes of the multipliers, and how far each particle moves; returns the error
// No include guard: once per file.
#include "math/vec3.h"
#include "pbd/pbd_batch.h"

#ifdef PBD_MULTIPLIERS
#define BLOCK 1
#else
#define BLOCK 0
#define PBD_MULTIPLIERS 1
#endif

typedef struct pack {
    vec3 x[PBD_ARITY], g[PBD_ARITY];
    real w[PBD_ARITY];
    real value, compliance, lambda[PBD_MULTIPLIERS], delta_lambda[PBD_MULTIPLIERS];
    real share; // of a block's moves: 1, and less with Jacobi; else moves by one over mass and g
} pack;

// at: PBD_ARITY lists of LANES numbers of particles.
LANE_INLINE void load_particles(pack *p, const int *at[PBD_ARITY], const float (*q)[4]) {
    for (int k = 0; k < PBD_ARITY; k++) {
        real row[4];
        r_load_rows(&q[0][0], at[k], row);
        p->x[k] = vec3_of(row[0], row[1], row[2]);
        p->w[k] = row[3];
    }
}

#if BLOCK
LANE_INLINE void evaluate(pack *p, const real rest[PBD_PARAMS], const pbd_lane_pass *pass) {
    p->share = R(1);
    p->value =
        solve_of(p->x, p->w, rest, p->compliance * R(pass->inverse_dt2), p->lambda, p->delta_lambda, p->g);
}
LANE_INLINE real step_of(const pack *p, int k) {
    (void)k;
    return p->share;
}
LANE_INLINE void reduce_step(pack *p, real factor) {
    p->share = factor;
    for (int m = 0; m < PBD_MULTIPLIERS; m++) p->delta_lambda[m] = p->delta_lambda[m] * factor;
}
LANE_INLINE real error_of(const pack *p, const pbd_lane_pass *pass) {
    (void)pass;
    return p->value;
}
#else
// C, its gradients, and the change of the multiplier: XPBD eq. 18; with plain PBD the share `compliance` of
// it. Of a pair the gradients are not made unit vectors: one division instead of two, which all else waits
// for.
LANE_INLINE void evaluate(pack *p, const real rest[PBD_PARAMS], const pbd_lane_pass *pass) {
    real alpha = p->compliance * R(pass->inverse_dt2), sum_w_grad2 = alpha, length = R(1);
#ifdef PBD_PAIR
    p->value = value_of(p->x, rest, p->g, &length);
    sum_w_grad2 = sum_w_grad2 + p->w[0] + p->w[1];
#else
    p->value = value_of(p->x, rest, p->g);
    for (int k = 0; k < PBD_ARITY; k++) sum_w_grad2 = r_fma(p->w[k], vec3_length2(p->g[k]), sum_w_grad2);
#endif
    real keep = pass->plain ? p->compliance : R(1);
    real wanted = r_fma(keep, p->value, alpha * p->lambda[0]);
    p->share = r_where(r_gt(sum_w_grad2, R(0)), -wanted / (sum_w_grad2 * length));
    p->delta_lambda[0] = p->share * length;
}
LANE_INLINE real step_of(const pack *p, int k) { return p->w[k] * p->share; }
LANE_INLINE void reduce_step(pack *p, real factor) {
    p->delta_lambda[0] = p->delta_lambda[0] * factor;
    p->share = p->share * factor;
}
LANE_INLINE real error_of(const pack *p, const pbd_lane_pass *pass) {
    return r_fma(p->compliance * R(pass->inverse_dt2), p->lambda[0], p->value);
}
#endif

// The columns of n constraints; of fewer than LANES the first stands for the missing ones. room: scratch for
// their particles.
LANE_INLINE void load_pack(pack *p, real rest[PBD_PARAMS], const int *list[PBD_ARITY],
                           int room[PBD_ARITY][LANES], const pbd_columns *c, size_t at, int n, bool fresh) {
    for (int k = 0; k < PBD_ARITY; k++) {
        list[k] = (const int *)c->particle + (size_t)k * c->count + at;
        if (n == LANES) continue;
        i_store(room[k], i_load_some(list[k], n, RI(list[k][0])));
        list[k] = room[k];
    }
    for (int k = 0; k < PBD_PARAMS; k++) {
        const float *from = c->rest + (size_t)k * c->count + at;
        rest[k] = n == LANES ? r_load(from) : r_load_some(from, n, R(from[0]));
    }
    p->compliance = n == LANES ? r_load(c->compliance + at) : r_load_some(c->compliance + at, n, R(0));
    for (int m = 0; m < PBD_MULTIPLIERS; m++) {
        const float *from = c->lambda + (size_t)m * c->count + at;
        p->lambda[m] = fresh ? R(0) : n == LANES ? r_load(from) : r_load_some(from, n, R(0));
    }
}

LANE_INLINE void store_lambda(const pack *p, const pbd_columns *c, size_t at, int n) {
    for (int m = 0; m < PBD_MULTIPLIERS; m++) {
        float *to = c->lambda + (size_t)m * c->count + at;
        if (n == LANES)
            r_store(to, p->lambda[m] + p->delta_lambda[m]);
        else
            r_store_some(to, p->lambda[m] + p->delta_lambda[m], n);
    }
}

// Links between equal masses then conserve momentum to the last bit: rounding would let what flies drift.
LANE_INLINE vec3 snapped(vec3 move, float snap) {
    vec3 by = vec3_all(R(snap));
    return vec3_sub(vec3_add(move, by), by);
}

LANE_INLINE void project_pack(const pbd_columns *c, const pbd_lane_pass *pass, size_t at, int n, bool fresh,
                              float (*q)[4]) {
    pack p;
    real rest[PBD_PARAMS];
    const int *list[PBD_ARITY];
    int room[PBD_ARITY][LANES];
    load_pack(&p, rest, list, room, c, at, n, fresh);
    load_particles(&p, list, (const float(*)[4])q);
    evaluate(&p, rest, pass);
    for (int k = 0; k < PBD_ARITY; k++) {
        // The moves of a block are small in short sub-steps: rounded, they would let a beam sag too far.
        vec3 move = vec3_scale(p.g[k], step_of(&p, k));
        vec3 to = vec3_add(p.x[k], BLOCK ? move : snapped(move, pass->snap));
        if (n == LANES) {
            r_store_rows(&q[0][0], list[k], (const real[4]){to.x, to.y, to.z, p.w[k]});
            continue;
        }
        ireal row = i_load(list[k]) * RI(4);
        r_scatter_where(m_first(n), &q[0][0], row, to.x);
        r_scatter_where(m_first(n), &q[0][1], row, to.y);
        r_scatter_where(m_first(n), &q[0][2], row, to.z);
    }
    store_lambda(&p, c, at, n);
}

static void project(const pbd_columns *c, const pbd_lane_pass *pass, size_t begin, size_t end,
                    float (*q)[4]) {
    size_t at = begin;
    for (; at + LANES <= end; at += LANES) project_pack(c, pass, at, LANES, pass->fresh, q);
    if (at < end) project_pack(c, pass, at, (int)(end - at), pass->fresh, q);
}

// Jacobi: the step divided by the number of constraints on the constraint's most constrained particle that
// can move. One factor for all its particles: so momentum is conserved, and the multiplier is what moved
// them.
LANE_INLINE void average_step(pack *p, const int *list[PBD_ARITY], const pbd_lane_pass *pass,
                              const float *constraints) {
    real most = R(1);
    for (int k = 0; k < PBD_ARITY; k++)
        most = r_max(most, r_where(r_gt(p->w[k], R(0)), r_gather(constraints, i_load(list[k]))));
    reduce_step(p, R(pass->relax) / most);
}

static void measure(const pbd_columns *c, const pbd_lane_pass *pass, size_t begin, size_t end,
                    const float (*q)[4], const float *constraints, float (*slot)[4]) {
    for (size_t at = begin; at < end; at += LANES) {
        pack p;
        real rest[PBD_PARAMS];
        const int *list[PBD_ARITY];
        int room[PBD_ARITY][LANES], n = end - at < LANES ? (int)(end - at) : LANES;
        load_pack(&p, rest, list, room, c, at, n, false);
        load_particles(&p, list, q);
        evaluate(&p, rest, pass);
        average_step(&p, list, pass, constraints);
        for (int k = 0; k < PBD_ARITY; k++) {
            vec3 move = vec3_scale(p.g[k], step_of(&p, k));
            ireal row = (i_lane_index() * RI(PBD_ARITY) + RI(k)) * RI(4);
            float *to = &slot[at * PBD_ARITY][0];
            r_scatter_where(m_first(n), to, row, move.x);
            r_scatter_where(m_first(n), to + 1, row, move.y);
            r_scatter_where(m_first(n), to + 2, row, move.z);
        }
        store_lambda(&p, c, at, n);
    }
}

static void gather(const pbd_columns *c, const pbd_lane_pass *pass, const uint32_t *incident, size_t n,
                   const float (*q)[4], const float *constraints, float *next_lambda, float move[4]) {
    vec3 sum = vec3_all(R(0));
    for (size_t at = 0; at < n; at += LANES) {
        pack p;
        real rest[PBD_PARAMS];
        const int *list[PBD_ARITY];
        int room[PBD_ARITY][LANES], some = n - at < LANES ? (int)(n - at) : LANES;
        ireal t = i_load_some((const int *)incident + at, some, RI((int)incident[at]));
        ireal which = t / PBD_ARITY, own = t - which * PBD_ARITY;
        for (int k = 0; k < PBD_ARITY; k++) {
            i_store(room[k], i_gather((const int *)c->particle + (size_t)k * c->count, which));
            list[k] = room[k];
        }
        for (int k = 0; k < PBD_PARAMS; k++) rest[k] = r_gather(c->rest + (size_t)k * c->count, which);
        p.compliance = r_gather(c->compliance, which);
        for (int m = 0; m < PBD_MULTIPLIERS; m++)
            p.lambda[m] = r_gather(c->lambda + (size_t)m * c->count, which);
        load_particles(&p, list, q);
        evaluate(&p, rest, pass);
        average_step(&p, list, pass, constraints);
        mask live = m_first(some);
        for (int k = 0; k < PBD_ARITY; k++) {
            mask here = live & i_eq(own, RI(k));
            sum = vec3_add_scaled(sum, vec3_select(here, p.g[k], vec3_all(R(0))), step_of(&p, k));
        }
        for (int m = 0; m < PBD_MULTIPLIERS; m++)
            r_scatter_where(live & i_eq(own, RI(0)), next_lambda + (size_t)m * c->count, which,
                            p.lambda[m] + p.delta_lambda[m]);
    }
    move[0] = r_sum_lanes(sum.x), move[1] = r_sum_lanes(sum.y), move[2] = r_sum_lanes(sum.z);
}

static void errors(const pbd_columns *c, const pbd_lane_pass *pass, size_t begin, size_t end,
                   const float (*q)[4], float *error) {
    for (size_t at = begin; at < end; at += LANES) {
        pack p;
        real rest[PBD_PARAMS];
        const int *list[PBD_ARITY];
        int room[PBD_ARITY][LANES], n = end - at < LANES ? (int)(end - at) : LANES;
        load_pack(&p, rest, list, room, c, at, n, false);
        load_particles(&p, list, q);
        evaluate(&p, rest, pass);
        r_store_some(error + at, error_of(&p, pass), n);
    }
}

const pbd_batch_lanes ISA_NAME(PBD_LANES) = {project, measure, gather, errors};
