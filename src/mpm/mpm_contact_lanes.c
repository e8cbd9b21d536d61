// The contacts of one block on its patch: velocities and impulses at particles, Gauss-Seidel sweeps with
// Coulomb's cone, and the penalty that stands for them in the semi-implicit solve.
#include "mpm/mpm_contact.h"
#include "mpm/mpm_transfer.h"

// Part of the inverse compliance: stiff enough to hold the snow within the solve, soft enough not to need
// more iterations than its waves do. The sweeps after the solve remove what remains.
#define HOLD 4.0f

static inline float *row_at(float *patch, const mpm_contact *c, int i, int j) {
    return patch + c->start + (i * PATCH_EDGE + j) * PATCH_ROW;
}

// v(x) = sum w v_i; the fourth component is meaningless.
LANE_INLINE f4 velocity_at(const float *patch, const mpm_contact *c) {
    f8_row sum = row_zero();
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            row_add(&sum, c->w[0][i] * c->w[1][j], row_load(row_at((float *)patch, c, i, j)));
    return row_dot(row_of(c->w[2]), sum);
}

LANE_INLINE f8 fourth(f8 nodes) { return __builtin_shufflevector(nodes, nodes, 3, 3, 3, 3, 7, 7, 7, 7); }

// v_i += w impulse / m_i; impulse: fourth component 0.
LANE_INLINE void push_snow(float *patch, const mpm_contact *c, f4 impulse) {
    f8_row z = row_of(c->w[2]);
    f8 both = f8_twice(impulse);
    z.near *= both;
    z.far *= both;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            float *row = row_at(patch, c, i, j), w = c->w[0][i] * c->w[1][j];
            f8 near = f8_load(row), far = f8_load(row + 8);
            f8_store(row, near + w * fourth(near) * z.near);
            f8_store(row + 8, far + w * fourth(far) * z.far);
        }
}

// out_i += w momentum
LANE_INLINE void add_momentum(float *out, const mpm_contact *c, f4 momentum) {
    f8_row z = row_of(c->w[2]);
    f8 both = f8_twice(momentum);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            float *row = row_at(out, c, i, j), w = c->w[0][i] * c->w[1][j];
            f8_store(row, f8_load(row) + w * z.near * both);
            f8_store(row + 8, f8_load(row + 8) + w * z.far * both);
        }
}

LANE_INLINE float dot3(const float a[3], const float b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static float compliance_of(const mpm_contact *c, const float *patch) {
    float sum = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            const float *row = row_at((float *)patch, c, i, j);
            for (int k = 0; k < 4; k++) {
                float w = c->w[0][i] * c->w[1][j] * c->w[2][k];
                sum += w * w * row[4 * k + 3];
            }
        }
    return sum;
}

void ISA_NAME(mpm_contact_prepare)(mpm_contact *contacts, size_t n, const int block[3], mpm_pass pass,
                                   const float *patch) {
    const patch_map map = patch_map_of(pass.kernel, block, pass);
    for (size_t i = 0; i < n; i += LANES) {
        f4 place[LANES];
        mpm_stencil stencil[LANES];
        for (size_t k = 0; k < LANES; k++)
            place[k] = patch_place(&map, d4_load3(contacts[i + k < n ? i + k : i].x));
        stencil_build(pass.kernel, STENCIL_W, place, stencil);
        for (size_t k = 0; k < LANES && i + k < n; k++) {
            mpm_contact *c = &contacts[i + k];
            c->start = stencil[k].start;
            for (int a = 0; a < 3; a++) f4_store(c->w[a], f4_load(stencil[k].axis[a].w));
            c->compliance = compliance_of(c, patch);
        }
    }
}

static inline firn_vec3 arm_of(const mpm_collider *b, const mpm_contact *c) {
    return dvec(c->x[0] - b->pivot.x, c->x[1] - b->pivot.y, c->x[2] - b->pivot.z);
}

static inline firn_vec3 spin_by(const mpm_collider *b, firn_vec3 angular) {
    const double(*i)[3] = b->per_inertia;
    return dvec(i[0][0] * angular.x + i[0][1] * angular.y + i[0][2] * angular.z,
                i[1][0] * angular.x + i[1][1] * angular.y + i[1][2] * angular.z,
                i[2][0] * angular.x + i[2][1] * angular.y + i[2][2] * angular.z);
}

// What an impulse of 1 N s along n adds to the normal velocity of the body there.
static inline float body_compliance(const mpm_collider *b, const mpm_contact *c) {
    if (!b->dynamic) return 0;
    firn_vec3 turn = dvec_cross(arm_of(b, c), dvec((double)c->n[0], (double)c->n[1], (double)c->n[2]));
    return (float)(b->per_mass + dvec_dot(turn, spin_by(b, turn)));
}

// The body takes the opposite of what the snow gets.
static inline void push_body(mpm_collider *b, const mpm_contact *c, const float impulse[3]) {
    if (!b->dynamic) return;
    firn_vec3 back = dvec(-(double)impulse[0], -(double)impulse[1], -(double)impulse[2]);
    b->velocity = dvec_add(b->velocity, dvec_scale(back, b->per_mass));
    b->spin = dvec_add(b->spin, spin_by(b, dvec_cross(arm_of(b, c), back)));
}

static inline void relative_velocity(const mpm_collider *b, const mpm_contact *c, const float *patch,
                                     float v[3]) {
    f4 at = velocity_at(patch, c);
    float u[3];
    collider_velocity(b, c->x, u);
    for (int a = 0; a < 3; a++) v[a] = at[a] - u[a];
}

void ISA_NAME(mpm_contact_guess)(mpm_contact *contacts, size_t n, mpm_collider *bodies, float *patch) {
    for (size_t i = 0; i < n; i++) {
        mpm_contact *c = &contacts[i];
        float v[3];
        relative_velocity(&bodies[c->body], c, patch, v);
        float missing = c->target - dot3(v, c->n), k = body_compliance(&bodies[c->body], c);
        c->normal = missing > 0 ? fminf(missing * c->mass / (1 + k * c->mass), c->most) : 0;
    }
    for (size_t i = 0; i < n; i++) {
        mpm_contact *c = &contacts[i];
        if (c->normal == 0) continue;
        float j[3] = {c->normal * c->n[0], c->normal * c->n[1], c->normal * c->n[2]};
        push_snow(patch, c, f4_load3(j));
        push_body(&bodies[c->body], c, j);
    }
}

// A contact that does not close before the end of the step does not stick yet.
static inline bool is_stuck(const mpm_collider *b, const mpm_contact *c) {
    return b->kind == FIRN_CONTACT_STICKY && c->target >= 0;
}

// The impulse that gives the target, at least. Adhesion resists parting only: if it closed gaps, which takes
// velocities of gap / dt, snow at rest would shake.
static inline float normal_impulse(const mpm_contact *c, float vn, float per, bool stuck) {
    float push = c->normal - per * (vn - c->target);
    if (push > 0 || stuck) return fminf(push, c->most);
    float pull = c->normal - per * (vn - fmaxf(c->target, 0));
    return fmaxf(fminf(pull, 0), -c->adhesion);
}

// Normal impulses pull where a body is sticky, where the tangential velocity is stopped, too, and as far as
// adhesion goes.
static void solve_contact(mpm_contact *c, mpm_collider *b, float *patch) {
    float v[3], j[3], compliance = c->compliance + body_compliance(b, c);
    if (!(compliance > 0)) return;
    relative_velocity(b, c, patch, v);
    float vn = dot3(v, c->n), per = 1.0f / compliance, before = c->normal;
    bool stuck = is_stuck(b, c);
    c->normal = normal_impulse(c, vn, per, stuck);
    for (int a = 0; a < 3; a++) {
        float t = stuck ? -per * (v[a] - vn * c->n[a]) : 0;
        c->tangential[a] += t;
        j[a] = (c->normal - before) * c->n[a] + t;
    }
    if (j[0] == 0 && j[1] == 0 && j[2] == 0) return;
    push_snow(patch, c, f4_load3(j));
    push_body(b, c, j);
}

void ISA_NAME(mpm_contact_sweep)(mpm_contact *contacts, size_t n, mpm_collider *bodies, bool backwards,
                                 float *patch) {
    for (size_t i = 0; i < n; i++) {
        mpm_contact *c = &contacts[backwards ? n - 1 - i : i];
        solve_contact(c, &bodies[c->body], patch);
    }
}

// ---- friction

// What presses snow and body together: adhesion does so, too.
static inline float pressing(const mpm_contact *c) { return c->normal + c->adhesion; }
static inline bool has_friction(const mpm_collider *b, const mpm_contact *c) {
    return b->kind == FIRN_CONTACT_FRICTION && pressing(c) > 0;
}

// Share of the snow in the tangential velocity that snow and body have together, if all contacts of the body
// hold.
static inline float stop_share(const mpm_collider *b, const mpm_contact *c) {
    if (!b->dynamic) return 1;
    firn_vec3 arm = arm_of(b, c);
    double turn = b->per_inertia[0][0] + b->per_inertia[1][1] + b->per_inertia[2][2];
    return (float)(1 / (1 + b->held_mass * (b->per_mass + turn * dvec_dot(arm, arm))));
}

void ISA_NAME(mpm_friction_to_nodes)(const mpm_contact *contacts, size_t n, const mpm_collider *bodies,
                                     float *normal, float *velocity, float *impulse) {
    for (size_t i = 0; i < n; i++) {
        const mpm_contact *c = &contacts[i];
        const mpm_collider *b = &bodies[c->body];
        if (!has_friction(b, c)) continue;
        float press = pressing(c), limit = b->friction * press, u[3];
        collider_velocity(b, c->x, u);
        add_momentum(normal, c, (f4){press * c->n[0], press * c->n[1], press * c->n[2], limit});
        add_momentum(velocity, c, (f4){limit * u[0], limit * u[1], limit * u[2], limit * stop_share(b, c)});
        add_momentum(impulse, c, f4_load3(c->tangential));
    }
}

void ISA_NAME(mpm_friction_of_nodes)(mpm_contact *contacts, size_t n, mpm_collider *bodies,
                                     const float *ratio) {
    for (size_t i = 0; i < n; i++) {
        mpm_contact *c = &contacts[i];
        mpm_collider *b = &bodies[c->body];
        if (!has_friction(b, c)) continue;
        f4 r = b->friction * pressing(c) * velocity_at(ratio, c);
        float more[3];
        for (int a = 0; a < 3; a++) {
            more[a] = r[a] - c->tangential[a];
            c->tangential[a] = r[a];
        }
        push_body(b, c, more);
    }
}

// ---- the semi-implicit solve

void ISA_NAME(mpm_contact_hold)(mpm_contact *contacts, size_t n, const mpm_collider *bodies, float slow,
                                const float *patch) {
    for (size_t i = 0; i < n; i++) {
        mpm_contact *c = &contacts[i];
        const mpm_collider *b = &bodies[c->body];
        bool closed = (c->normal > 0 && c->normal < c->most) || is_stuck(b, c);
        c->stiffness = closed && c->compliance > 0 ? HOLD / c->compliance : 0;
        float v[3], u[3], t[3];
        relative_velocity(b, c, patch, v);
        collider_velocity(b, c->x, u);
        float vn = dot3(v, c->n);
        for (int a = 0; a < 3; a++) t[a] = v[a] - vn * c->n[a];
        c->sticks = is_stuck(b, c) || (has_friction(b, c) && dot3(t, t) <= slow * slow);
        for (int a = 0; a < 3; a++) c->held[a] = u[a] + vn * c->n[a] + (c->sticks ? 0 : t[a]);
    }
}

LANE_INLINE f4 penalty_of(const mpm_contact *c, f4 v) {
    float p[3] = {v[0], v[1], v[2]}, pn = dot3(p, c->n);
    for (int a = 0; a < 3; a++) p[a] = c->stiffness * (c->sticks ? p[a] : pn * c->n[a]);
    return f4_load3(p);
}

void ISA_NAME(mpm_contact_penalty)(const mpm_contact *contacts, size_t n, bool linear, const float *in,
                                   float *out) {
    for (size_t i = 0; i < n; i++) {
        const mpm_contact *c = &contacts[i];
        if (c->stiffness == 0) continue;
        f4 v = velocity_at(in, c);
        add_momentum(out, c, penalty_of(c, linear ? v : v - f4_load3(c->held)));
    }
}

void ISA_NAME(mpm_contact_release)(mpm_contact *contacts, size_t n, mpm_collider *bodies, const float left[3],
                                   const float *patch) {
    for (size_t i = 0; i < n; i++) {
        mpm_contact *c = &contacts[i];
        if (c->stiffness == 0) continue;
        f4 p = penalty_of(c, velocity_at(patch, c) - f4_load3(c->held));
        float j[3];
        for (int a = 0; a < 3; a++) j[a] = -p[a] - c->stiffness * left[a];
        float normal = dot3(j, c->n);
        c->normal += normal;
        for (int a = 0; a < 3; a++) c->tangential[a] += j[a] - normal * c->n[a];
        push_body(&bodies[c->body], c, j);
    }
}

void ISA_NAME(mpm_contact_keep)(const mpm_contact *contacts, size_t n, mpm_particles *p, float dt,
                                const float *patch) {
    for (size_t i = 0; i < n; i++) {
        const mpm_contact *c = &contacts[i];
        f4 v = velocity_at(patch, c);
        double *x = p->x[c->particle];
        float beside = 0;
        for (int a = 0; a < 3; a++) beside += c->n[a] * ((float)(x[a] - c->x[a]) - dt * v[a]);
        for (int a = 0; a < 3; a++) x[a] -= (double)(beside * c->n[a]);
    }
}
