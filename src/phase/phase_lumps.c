// Lumps: grains that are connected by links keep the shape that they had when they became one (shape
// matching, Mueller et al. 2005). Links alone do not (PHASE21 8.1.4). Grains are weighted by how well they
// are linked, in the fit as well, so that momentum and angular momentum are conserved. The parts of a lump
// that breaks keep their rest positions; where lumps merge, the largest is the parent and takes in the others
// as they are.
#include "phase/phase_state.h"

#include <math.h>
#include <string.h>

#include "par/par.h"
#include "pbd/pbd_cluster.h"

enum { PIECE = 512, TASK = 2048, MIN_MEMBERS = 3 }; // members of a task; smallest lump that has a shape
#define NONE UINT32_MAX
// In diameters and units of break_strain: a deformation that stays, times the share of its slots, and at
// most. What comes back instead lifts a block that has fallen.
static const double YIELD = 3, MOST_YIELD = 1;

struct phase_piece {
    uint32_t lump;
    size_t begin, end;                           // in `member`
    double weight, at[3], rest[3], moment[3][3]; // sums; the moment is of at rest^T
    double moved, pull, away2;                   // m2, see parting_of_piece
};

firn_status phase_lumps_reserve(phase *m) {
    phase_lumps *l = &m->lumps;
    size_t n = m->links.numbers, before = l->capacity[1];
    if (!fluid_reserve_zero(&l->rest, &l->capacity[0], n, sizeof *l->rest) ||
        !array_reserve(&l->label, &l->capacity[1], n, sizeof *l->label))
        return fail_memory("allocating lumps", n * sizeof *l->rest);
    for (size_t k = before; k < l->capacity[1]; k++) l->label[k] = NONE;
    if (!array_reserve(&l->member, &l->list_capacity[0], n, sizeof *l->member) ||
        !array_reserve(&l->root, &l->list_capacity[1], n, sizeof *l->root) ||
        !array_reserve(&l->lump_of, &l->list_capacity[2], n, sizeof *l->lump_of) ||
        !array_reserve(&l->parent, &l->list_capacity[5], n, sizeof *l->parent) ||
        !array_reserve(&l->most, &l->list_capacity[6], n, sizeof *l->most) ||
        !array_reserve(&l->tally, &l->list_capacity[7], n, sizeof *l->tally))
        return fail_memory("allocating lumps", n * sizeof *l->rest);
    return FIRN_OK;
}

void phase_lumps_free(phase_lumps *l) {
    void *lists[] = {l->rest, l->label,   l->member, l->lump, l->piece,
                     l->root, l->lump_of, l->parent, l->most, l->tally};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) mem_free(lists[k]);
}

// ---- members

static firn_status make_lists(phase_lumps *l, const uint32_t *size, size_t n) {
    size_t lumps = 0, pieces = 0;
    for (size_t k = 0; k < n; k++)
        if (size[k] > 0) lumps++, pieces += size[k] / PIECE + 1;
    if (!array_reserve(&l->lump, &l->list_capacity[3], lumps + 1, sizeof *l->lump) ||
        !array_reserve(&l->piece, &l->list_capacity[4], pieces + 1, sizeof *l->piece))
        return fail_memory("listing lumps", pieces * sizeof *l->piece);
    l->lumps = l->pieces = l->members = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (size[k] == 0) continue;
        phase_lump *lump = &l->lump[l->lumps];
        *lump = (phase_lump){.first = l->members, .count = size[k], .piece = l->pieces};
        for (size_t at = 0; at < size[k]; at += PIECE)
            l->piece[l->pieces++] =
                (phase_piece){.lump = (uint32_t)l->lumps,
                              .begin = l->members + at,
                              .end = l->members + (at + PIECE < size[k] ? at + PIECE : size[k])};
        lump->pieces = l->pieces - lump->piece;
        l->members += size[k];
        l->lump_of[k] = (uint32_t)l->lumps++;
    }
    return FIRN_OK;
}

// From the labels: members lump by lump, in the order of their numbers.
firn_status phase_lumps_list(phase *m) {
    phase_lumps *l = &m->lumps;
    size_t n = m->links.numbers;
    if (n == 0) return make_lists(l, l->root, 0);
    memset(l->root, 0, n * sizeof *l->root);
    for (size_t k = 0; k < n; k++)
        if (l->label[k] != NONE) l->root[l->label[k]]++;
    TRY(make_lists(l, l->root, n));
    memset(l->root, 0, n * sizeof *l->root); // now: how many are in
    for (uint32_t k = 0; k < n; k++) {
        uint32_t label = l->label[k];
        if (label != NONE) l->member[l->lump[l->lump_of[label]].first + l->root[label]++] = k;
    }
    return FIRN_OK;
}

// ---- pose of a lump

typedef struct lump_work {
    phase *m;
    bool now;           // positions of the iteration; otherwise those at the start of the step
    double max_parting; // m
} lump_work;

// Square of the share of its slots; half melted grains count half.
static double weight_of(const phase *m, uint32_t i) {
    double share = (double)phase_slots_of(m, i) / (double)m->links.most;
    return share * share * (1 - (double)phase_melted(m, i));
}

static void sum_piece(void *context, size_t k) {
    const lump_work *w = context;
    const phase *m = w->m;
    phase_piece *piece = &m->lumps.piece[k];
    double weight = 0, at[3] = {0}, rest[3] = {0}, moment[3][3] = {{0}};
    for (size_t n = piece->begin; n < piece->end; n++) {
        uint32_t number = m->lumps.member[n], i = m->links.place[number];
        const float *r = m->lumps.rest[number], *x = w->now ? m->s->p.q[i] : m->s->p.x[i];
        double own = (double)m->shape_weight[i];
        weight += own;
        for (int a = 0; a < 3; a++) {
            at[a] += own * (double)x[a], rest[a] += own * (double)r[a];
            for (int b = 0; b < 3; b++) moment[a][b] += own * (double)x[a] * (double)r[b];
        }
    }
    piece->weight = weight;
    memcpy(piece->at, at, sizeof at);
    memcpy(piece->rest, rest, sizeof rest);
    memcpy(piece->moment, moment, sizeof moment);
}

static void fit_lump(void *context, size_t k) {
    const lump_work *w = context;
    phase_lump *lump = &w->m->lumps.lump[k];
    double weight = 0, at[3] = {0}, rest[3] = {0};
    pbd_cluster_pose pose = {.moment = {{0}}};
    for (size_t p = lump->piece; p < lump->piece + lump->pieces; p++) {
        const phase_piece *piece = &w->m->lumps.piece[p];
        weight += piece->weight;
        for (int a = 0; a < 3; a++) {
            at[a] += piece->at[a], rest[a] += piece->rest[a];
            for (int b = 0; b < 3; b++) pose.moment[a][b] += piece->moment[a][b];
        }
    }
    lump->weight = weight;
    if (!(weight > 0)) return;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) pose.moment[a][b] -= at[a] * rest[b] / weight;
    lump->centre = dvec(at[0] / weight, at[1] / weight, at[2] / weight);
    lump->rest = dvec(rest[0] / weight, rest[1] / weight, rest[2] / weight);
    pbd_shape_rotation(&pose, lump->rotation);
}

static void fit_all(phase *m, bool now) {
    lump_work work = {m, now, 0};
    par_tasks(m->lumps.pieces, sum_piece, &work);
    par_tasks(m->lumps.lumps, fit_lump, &work);
}

// ---- shape matching

// R^T v.
static firn_vec3 rotate_back(const phase_lump *lump, firn_vec3 v) {
    const double(*t)[3] = (const double(*)[3])lump->rotation;
    return dvec(t[0][0] * v.x + t[1][0] * v.y + t[2][0] * v.z, t[0][1] * v.x + t[1][1] * v.y + t[2][1] * v.z,
                t[0][2] * v.x + t[1][2] * v.y + t[2][2] * v.z);
}

static firn_vec3 goal_of(const phase *m, phase_lump *lump, uint32_t number) {
    firn_vec3 arm = dvec_sub(pbd_at(m->lumps.rest[number]), lump->rest);
    return dvec_add(lump->centre, pbd_matrix_times(lump->rotation, arm));
}

// Plasticity: a grain that is moved farther from its goal than its links can bear takes that as its rest
// position.
static void yield(const phase *m, const phase_lump *lump, uint32_t i, uint32_t number, firn_vec3 away) {
    double share = sqrt((double)m->shape_weight[i]), size = dvec_length(away);
    double most = fmin(YIELD * share, MOST_YIELD) * m->def.links.break_strain * 2 * (double)m->radius[i];
    if (!(size > most)) return;
    firn_vec3 by = dvec_scale(rotate_back(lump, away), 1 - most / size);
    float *rest = m->lumps.rest[number];
    rest[0] += (float)by.x, rest[1] += (float)by.y, rest[2] += (float)by.z;
}

static void match_piece(void *context, size_t k) {
    const lump_work *w = context;
    const phase *m = w->m;
    const phase_piece *piece = &m->lumps.piece[k];
    phase_lump *lump = &m->lumps.lump[piece->lump];
    if (lump->count < MIN_MEMBERS || !(lump->weight > 0)) return;
    for (size_t n = piece->begin; n < piece->end; n++) {
        uint32_t number = m->lumps.member[n], i = m->links.place[number];
        firn_vec3 goal = goal_of(m, lump, number);
        float *q = m->s->p.q[i];
        yield(m, lump, i, number, dvec_sub(pbd_at(q), goal));
        firn_vec3 by = dvec_scale(dvec_sub(goal, pbd_at(q)), m->def.links.shape * (double)m->shape_weight[i]);
        firn_vec3 shift = dvec_scale(by, 1 - lump->push);
        float *x = m->s->p.x[i];
        q[0] += (float)by.x, q[1] += (float)by.y, q[2] += (float)by.z;
        x[0] += (float)shift.x, x[1] += (float)shift.y, x[2] += (float)shift.z;
    }
}

// Of a piece: how far its grains have moved to their goals, and how far the pull takes them. The motion of
// the lump as a whole adds nothing to it, as the goals have its centre and its angular momentum.
static void parting_of_piece(void *context, size_t k) {
    const lump_work *w = context;
    const phase *m = w->m;
    phase_piece *piece = &m->lumps.piece[k];
    phase_lump *lump = &m->lumps.lump[piece->lump];
    piece->moved = piece->pull = piece->away2 = 0;
    if (!(lump->weight > 0)) return;
    for (size_t n = piece->begin; n < piece->end; n++) {
        uint32_t number = m->lumps.member[n], i = m->links.place[number];
        firn_vec3 q = pbd_at(m->s->p.q[i]), away = dvec_sub(goal_of(m, lump, number), q);
        double own = (double)m->shape_weight[i], away2 = own * dvec_length2(away);
        piece->moved += own * dvec_dot(away, dvec_sub(q, pbd_at(m->s->p.x[i])));
        piece->pull += m->def.links.shape * own * away2;
        piece->away2 += away2;
    }
}

static void push_of_lump(void *context, size_t k) {
    const lump_work *w = context;
    phase_lump *lump = &w->m->lumps.lump[k];
    double moved = 0, pull = 0, away2 = 0;
    for (size_t p = lump->piece; p < lump->piece + lump->pieces; p++) {
        const phase_piece *piece = &w->m->lumps.piece[p];
        moved += piece->moved, pull += piece->pull, away2 += piece->away2;
    }
    double most = w->max_parting * sqrt(away2 * lump->weight); // in the unit of the two sums
    lump->push = pull > 0 ? fmin(fmax((most - moved) / pull, 0), 1) : 1;
}

void phase_lumps_match(phase *m, double dt) {
    lump_work work = {m, true, PHASE_PARTING * dt};
    if (m->lumps.lumps == 0 || !(m->def.links.shape > 0) || phase_links_elastic(&m->def)) return;
    fit_all(m, true);
    par_tasks(m->lumps.pieces, parting_of_piece, &work);
    par_tasks(m->lumps.lumps, push_of_lump, &work);
    par_tasks(m->lumps.pieces, match_piece, &work);
}

static void weight_block(void *context, size_t begin, size_t end) {
    const phase *m = context;
    for (size_t i = begin; i < end; i++) m->shape_weight[i] = (float)weight_of(m, (uint32_t)i);
}

void phase_lumps_weigh(phase *m) {
    if (m->def.links.mode != FIRN_PHASE_LINKS_NONE) par_for(m->s->p.count, TASK, weight_block, m);
}

// ---- lumps from links

static uint32_t root_of(uint32_t *root, uint32_t k) {
    while (root[k] != k) root[k] = root[root[k]], k = root[k];
    return k;
}

// root[]: of each number the smallest that it is connected with.
static void join_links(const phase *m, uint32_t *root) {
    const phase_links *l = &m->links;
    for (uint32_t k = 0; k < l->numbers; k++) root[k] = k;
    for (uint32_t k = 0; k < l->numbers; k++)
        for (uint32_t n = 0; n < l->count[k]; n++) {
            uint32_t other = l->partner[k * l->most + n];
            if (other < k) continue; // from its other end
            uint32_t a = root_of(root, k), b = root_of(root, other);
            root[a < b ? b : a] = a < b ? a : b;
        }
    for (uint32_t k = 0; k < l->numbers; k++) root[k] = root_of(root, k);
    for (uint32_t k = 0; k < l->numbers; k++)
        if (l->count[k] == 0) root[k] = NONE; // alone: nobody else has it for a root
}

// Of every new lump, the old one that most of its grains come from, and how many: to `parent` and `most`.
static void find_parents(phase_lumps *l, size_t n) {
    for (size_t k = 0; k < n; k++) l->parent[k] = NONE, l->most[k] = 0, l->tally[k] = 0;
    for (uint32_t old = 0; old < l->lumps; old++) {
        const uint32_t *member = l->member + l->lump[old].first;
        for (size_t k = 0; k < l->lump[old].count; k++)
            if (l->root[member[k]] != NONE) l->tally[l->root[member[k]]]++;
        for (size_t k = 0; k < l->lump[old].count; k++) {
            uint32_t label = l->root[member[k]];
            if (label == NONE || l->tally[label] == 0) continue;
            if (l->tally[label] > l->most[label]) l->most[label] = l->tally[label], l->parent[label] = old;
            l->tally[label] = 0;
        }
    }
}

// New members get the rest position that corresponds to their present one.
static void place_new_member(const phase *m, uint32_t number, uint32_t parent) {
    const phase_lump *old = parent == NONE ? NULL : &m->lumps.lump[parent];
    firn_vec3 at = pbd_at(m->s->p.x[m->links.place[number]]);
    if (old && old->weight > 0) {
        at = dvec_add(old->rest, rotate_back(old, dvec_sub(at, old->centre)));
    }
    float *rest = m->lumps.rest[number];
    rest[0] = (float)at.x, rest[1] = (float)at.y, rest[2] = (float)at.z;
}

firn_status phase_lumps_find(phase *m) {
    phase_lumps *l = &m->lumps;
    size_t n = m->links.numbers;
    fit_all(m, false);
    join_links(m, l->root);
    find_parents(l, n);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t label = l->root[k];
        if (label == NONE) continue;
        uint32_t parent = l->parent[label];
        bool stays = parent != NONE && l->label[k] != NONE && l->lump_of[l->label[k]] == parent;
        // Without a pose of the parent all rest positions are taken anew.
        if (!stays || !(l->lump[parent].weight > 0)) place_new_member(m, k, parent);
    }
    memcpy(l->label, l->root, n * sizeof *l->label);
    m->counters.changed = 0;
    return phase_lumps_list(m);
}
