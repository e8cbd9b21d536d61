// Links a solid's particles: all pairs, neighbours, or decimated by distance (PBD19 4.7).
#include "pbd/pbd_links.h"

#include <math.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/random.h"
#include "geom/shape.h"
#include "pbd/pbd_lattice.h"
#include "pbd/pbd_material.h"

typedef struct linker {
    pbd *s;
    const firn_pbd_solid_def *def;
    const pbd_group *group;
    pbd_draft *draft;
    const firn_pbd_def *all;
    const shape *form; // NULL: a lattice
    float *depth;      // m, by particle: signed distance of its place in the shape
} linker;

static double apart(const linker *l, size_t i, size_t j) {
    return dvec_distance(pbd_at(l->s->p.rest[l->group->first + i]),
                         pbd_at(l->s->p.rest[l->group->first + j]));
}

// Whether a pair is joined through the air, as the ears of a hare are that stand beside each other: halfway
// it is outside. The signed distance changes by no more than the way, so that most pairs need not be looked
// at.
static bool is_through_air(const linker *l, size_t i, size_t j) {
    static const double OUTSIDE = 0.3; // spacings: shells, and particles that the fill put near an edge
    if (!l->form) return false;
    double limit = OUTSIDE * l->def->spacing, half = apart(l, i, j) / 2;
    if ((double)l->depth[i] + half <= limit || (double)l->depth[j] + half <= limit) return false;
    const float *a = l->s->p.rest[l->group->first + i], *b = l->s->p.rest[l->group->first + j];
    firn_vec3 middle = dvec_scale(dvec_add(pbd_at(a), pbd_at(b)), 0.5);
    firn_quat back = dquat_inverse(dquat_from_angles(l->def->fill.rotate));
    return shape_sdf(l->form, dquat_rotate(back, middle), NULL) > limit;
}

static firn_status find_depths(linker *l) {
    firn_quat back = dquat_inverse(dquat_from_angles(l->def->fill.rotate));
    l->depth = mem_alloc((l->group->count + 1) * sizeof *l->depth);
    if (!l->depth) return fail_memory("linking a solid", l->group->count * sizeof *l->depth);
    for (size_t i = 0; i < l->group->count; i++)
        l->depth[i] =
            (float)shape_sdf(l->form, dquat_rotate(back, pbd_at(l->s->p.rest[l->group->first + i])), NULL);
    return FIRN_OK;
}

static firn_status link(linker *l, size_t i, size_t j) {
    const uint32_t pair[2] = {(uint32_t)(l->group->first + i), (uint32_t)(l->group->first + j)};
    float rest = (float)apart(l, i, j);
    return pbd_draft_add(l->draft, pair, &rest, pbd_link_compliance(l->all, l->def, l->group, (double)rest));
}

static firn_status link_all(linker *l) {
    for (size_t i = 0; i < l->group->count; i++)
        for (size_t j = i + 1; j < l->group->count; j++) TRY(link(l, i, j));
    return FIRN_OK;
}

// Neighbours within `search_radius`, of each particle of the solid.
static firn_status list_near(const linker *l, double search_radius, bool half, neighbour_lists *lists) {
    neighbour_grid grid = {0};
    const float *x = l->s->p.rest[l->group->first];
    firn_status status = neighbour_grid_build(&grid, x, 3, l->group->count, search_radius * 1.0001);
    if (status == FIRN_OK)
        status = neighbour_lists_build(lists, &grid, x, 3, search_radius, half, NULL, NULL);
    neighbour_grid_free(&grid);
    return status;
}

static firn_status link_near(linker *l, const neighbour_lists *lists) {
    for (size_t i = 0; i < l->group->count; i++)
        for (uint32_t k = lists->first[i]; k < lists->first[i + 1]; k++)
            if (!is_through_air(l, i, lists->index[k])) TRY(link(l, i, lists->index[k]));
    return FIRN_OK;
}

static int compare_pairs(const void *a, const void *b) {
    uint64_t p, q;
    __builtin_memcpy(&p, a, sizeof p);
    __builtin_memcpy(&q, b, sizeof q);
    return (p > q) - (p < q);
}

// Up to far_count partners of particle i farther than `far`, looked for from a random place on.
static size_t find_far(const linker *l, double far, size_t i, uint64_t *pairs) {
    enum { MOST_LOOKS = 4096 };
    size_t n = l->group->count, found = 0;
    size_t start = random_bits(l->s->setting.seed, l->group->first + i, 0, 71).v[0] % n;
    size_t looks = n < MOST_LOOKS ? n : MOST_LOOKS;
    for (size_t t = 0; t < looks && found < (size_t)l->def->far_count; t++) {
        size_t j = (start + t * 7919) % n; // a prime, so that those beside each other do not all come first
        if (j == i || apart(l, i, j) <= far) continue;
        pairs[found++] = (uint64_t)(i < j ? i : j) << 32 | (i < j ? j : i);
    }
    return found;
}

static firn_status link_far(linker *l, double far) {
    size_t n = l->group->count, count = 0, room = n * (size_t)l->def->far_count;
    uint64_t *pairs = mem_alloc((room + 1) * sizeof *pairs);
    if (!pairs) return fail_memory("linking a solid", room * sizeof *pairs);
    for (size_t i = 0; i < n; i++) count += find_far(l, far, i, pairs + count);
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    firn_status status = FIRN_OK;
    for (size_t k = 0; k < count && status == FIRN_OK; k++)
        if (k == 0 || pairs[k] != pairs[k - 1])
            status = link(l, (size_t)(pairs[k] >> 32), (size_t)(pairs[k] & 0xffffffffu));
    mem_free(pairs);
    return status;
}

// PBD19 4.7.2: all pairs closer than `near`, and some farther than `far` that keep the solid stiff; unlike
// there, no pair occurs twice.
static firn_status link_decimated(linker *l) {
    neighbour_lists lists = {0};
    double near = auto_or(l->def->near, 1.8 * l->def->spacing);
    double far = auto_or(l->def->far, 6 * l->def->spacing);
    firn_status status = list_near(l, near, true, &lists);
    if (status == FIRN_OK) status = link_near(l, &lists);
    if (status == FIRN_OK && l->def->far_count > 0) status = link_far(l, far < near ? near : far);
    neighbour_lists_free(&lists);
    return status;
}

static const double SAME_DISTANCE = 1e-3; // relative: rounding of positions in a lattice

typedef struct neighbour {
    double distance;
    uint32_t index;
} neighbour;

static int compare_neighbours(const void *a, const void *b) {
    const neighbour *p = a, *q = b;
    if (p->distance != q->distance) return p->distance < q->distance ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

// The wanted ones, and all that are as far as the last of them: a lattice, rotated or mirrored, has the same
// links.
static uint32_t how_many(const neighbour *sorted, size_t n, size_t wanted) {
    if (n <= wanted) return (uint32_t)n;
    size_t kept = wanted;
    while (kept < n && sorted[kept].distance < (1 + SAME_DISTANCE) * sorted[wanted - 1].distance) kept++;
    return (uint32_t)kept;
}

// Cuts the list of each particle down to its nearest; `kept` of them.
static firn_status keep_nearest(const linker *l, neighbour_lists *lists, uint32_t *kept) {
    size_t longest = 0;
    for (size_t i = 0; i < l->group->count; i++) {
        size_t n = lists->first[i + 1] - lists->first[i];
        if (n > longest) longest = n;
    }
    neighbour *sorted = mem_alloc((longest + 1) * sizeof *sorted);
    if (!sorted) return fail_memory("linking a solid", longest * sizeof *sorted);
    for (size_t i = 0; i < l->group->count; i++) {
        uint32_t *own = lists->index + lists->first[i];
        size_t all = lists->first[i + 1] - lists->first[i], n = 0;
        for (size_t k = 0; k < all; k++)
            if (!is_through_air(l, i, own[k])) sorted[n++] = (neighbour){apart(l, i, own[k]), own[k]};
        qsort(sorted, n, sizeof *sorted, compare_neighbours);
        for (size_t k = 0; k < n; k++) own[k] = sorted[k].index;
        kept[i] = how_many(sorted, n, (size_t)l->def->neighbours);
    }
    mem_free(sorted);
    return FIRN_OK;
}

static bool lists_it(const neighbour_lists *lists, const uint32_t *kept, size_t i, size_t j) {
    for (uint32_t k = 0; k < kept[i]; k++)
        if (lists->index[lists->first[i] + k] == j) return true;
    return false;
}

static firn_status link_nearest(linker *l) {
    neighbour_lists lists = {0};
    uint32_t *kept = mem_zero(l->group->count + 1, sizeof *kept);
    // A ball that holds twice as many in a full lattice; at the surface only half of it is full.
    double search_radius =
        l->def->spacing * fmax(1.75, cbrt((double)l->def->neighbours * 2 * 3 / (4 * M_PI)) + 0.5);
    firn_status status =
        kept ? list_near(l, search_radius, false, &lists) : fail_memory("linking a solid", 0);
    if (status == FIRN_OK) status = keep_nearest(l, &lists, kept);
    for (size_t i = 0; i < l->group->count && status == FIRN_OK; i++)
        for (uint32_t k = 0; k < kept[i] && status == FIRN_OK; k++) {
            size_t j = lists.index[lists.first[i] + k];
            if (i < j || !lists_it(&lists, kept, j, i)) status = link(l, i, j);
        }
    mem_free(kept);
    neighbour_lists_free(&lists);
    return status;
}

// Links of a particle in no cell to all around it; a pair of such particles is linked once.
static firn_status link_lone(linker *l, const pbd_lattice *lattice, const int64_t place[3], uint32_t own) {
    for (int k = 0; k < 27; k++) {
        const int64_t at[3] = {place[0] + k % 3 - 1, place[1] + k / 3 % 3 - 1, place[2] + k / 9 - 1};
        uint32_t other = pbd_lattice_particle(lattice, at);
        if (other == PBD_NOBODY || other == own) continue;
        if (other < own && !pbd_lattice_is_corner(lattice, at)) continue;
        TRY(link(l, own - l->group->first, other - l->group->first));
    }
    return FIRN_OK;
}

// The threads of cloth and ropes: from each particle to the next along the axes.
static firn_status link_threads(linker *l, const pbd_lattice *lattice, const int64_t place[3], uint32_t own) {
    for (int a = 0; a < 3; a++) {
        int64_t at[3] = {place[0], place[1], place[2]};
        at[a]++;
        uint32_t other = pbd_lattice_particle(lattice, at);
        if (other != PBD_NOBODY) TRY(link(l, own - l->group->first, other - l->group->first));
    }
    return FIRN_OK;
}

// Cells hold an elastic solid together (pbd_cells.c); here those of its particles that are in none, and cloth
// and ropes.
static firn_status link_elastic(linker *l) {
    pbd_lattice lattice;
    TRY(pbd_lattice_create(l->s, l->def, l->group, &lattice));
    firn_status status = FIRN_OK;
    size_t places = lattice.n[0] * lattice.n[1] * lattice.n[2];
    for (size_t i = 0; i < places && status == FIRN_OK; i++) {
        int64_t place[3];
        pbd_lattice_place(&lattice, i, place);
        if (lattice.at[i] == PBD_NOBODY) continue;
        if (lattice.dimensions < 3)
            status = link_threads(l, &lattice, place, lattice.at[i]);
        else if (!pbd_lattice_is_corner(&lattice, place))
            status = link_lone(l, &lattice, place, lattice.at[i]);
    }
    pbd_lattice_free(&lattice);
    return status;
}

float pbd_link_compliance(const firn_pbd_def *def, const firn_pbd_solid_def *solid, const pbd_group *group,
                          double rest) {
    if (pbd_is_elastic(solid))
        return (float)(rest * rest / (pbd_material_of(solid, 3).young * group->volume));
    return (float)pbd_compliance(def, solid->stiffness, solid->plain_stiffness);
}

// With the shape that the solid was filled from.
static firn_status link_in_shape(linker *l, firn_status (*links)(linker *l)) {
    shape *form = NULL;
    if (!(l->def->lattice.x > 0)) {
        TRY(shape_create(&l->def->fill.shape, l->def->fill.scale, l->s->setting.folder,
                         l->def->name ? l->def->name : "solid", &form));
        l->form = form;
    }
    firn_status status = form ? find_depths(l) : FIRN_OK;
    if (status == FIRN_OK) status = links(l);
    mem_free(l->depth);
    shape_destroy(form);
    return status;
}

static firn_status link_solid(linker *l) {
    if (pbd_is_elastic(l->def)) return link_elastic(l);
    switch (l->def->links) {
    case FIRN_PBD_ALL_PAIRS: return link_all(l);
    case FIRN_PBD_DECIMATED: return link_in_shape(l, link_decimated);
    case FIRN_PBD_NEIGHBOURS: return link_in_shape(l, link_nearest);
    default: return FIRN_OK;
    }
}

firn_status pbd_draft_links_of(pbd *s, const firn_pbd_def *def, size_t number, pbd_draft *draft) {
    const firn_pbd_solid_def *solid = &def->solids.items[number];
    linker l = {.s = s, .def = solid, .group = &s->groups[number], .draft = draft, .all = def};
    size_t before = draft->count;
    TRY(link_solid(&l));
    s->groups[number].links = draft->count - before;
    return FIRN_OK;
}
