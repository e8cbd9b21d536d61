// Builds, measures and shares solids: equal shapes of a context have one mesh and one level set.
#include "geom/shape_solid.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/file.h"
#include "base/stop.h"
#include "geom/asset.h"
#include "geom/fill.h"
#include "geom/proc.h"
#include "geom/proc_sdf.h"
#include "geom/shape_impl.h"
#include "geom/solid_file.h"
#include "par/par.h"

enum { CELLS_MOST = 1024 };

// A solid that worlds of one context share. `whole` comes first, so that its address is that of the entry.
typedef struct solid_entry {
    solid whole;
    firn_context *owner;
    uint64_t key; // what it was made from
    uint64_t file_hash;
    size_t users; // 0: only held
    struct solid_entry *next;
} entry;

static par_lock lock = PAR_LOCK_INIT;

void solid_free(solid *s) {
    mesh_free(&s->mesh);
    levelset_destroy(s->set);
    mem_free(s->probes);
    *s = (solid){0};
}

static void destroy(entry *e) {
    solid_free(&e->whole);
    mem_free(e);
}

static entry *find_and_use(uint64_t key) {
    for (entry *e = context_here()->solids.first; e; e = e->next) {
        if (e->key != key) continue;
        e->users++;
        return e;
    }
    return NULL;
}

static firn_status binvox_mesh(const char *path, mesh *out) {
    voxels v;
    TRY(binvox_read(path, &v));
    firn_status status = voxels_to_mesh(&v, out);
    voxels_free(&v);
    return status;
}

static firn_status make_mesh(const solid_make *make, mesh *out) {
    switch (make->kind) {
    case FIRN_SHAPE_HARE: return proc_hare(make->seed, out);
    case FIRN_SHAPE_SNOWMAN: return proc_snowman(make->seed, out);
    case FIRN_SHAPE_HOUSE: return proc_house(make->seed, out);
    case FIRN_SHAPE_LAMP_POST: return proc_lamp_post(make->seed, out);
    case FIRN_SHAPE_TREE: return proc_tree(make->seed, (firn_tree_species)make->style, out);
    case FIRN_SHAPE_ROCK: return proc_rock(make->seed, out);
    case FIRN_SHAPE_FENCE: return proc_fence(make->seed, make->length, out);
    case FIRN_SHAPE_BINVOX: return binvox_mesh(make->path, out);
    default: return mesh_read(make->path, out);
    }
}

static void warn_turned(const char *name) {
    log_warning("shape of '%s': the mesh is inside out; its triangles were flipped", name);
}

// Inverts a mesh whose triangles all face inwards; refuses one without volume.
static firn_status check_mesh(mesh *m, const char *name, bool *turned) {
    float low[3], high[3];
    if (!m->triangles) return fail(FIRN_BAD_INPUT, "shape of '%s': its mesh has no triangles", name);
    mesh_bounds(m, low, high);
    double box = 1;
    for (int k = 0; k < 3; k++) box *= (double)high[k] - (double)low[k];
    double volume = mesh_volume(m);
    if (!(box > 0) || !isfinite(box) || !(fabs(volume) > 1e-6 * box)) {
        return fail(FIRN_BAD_INPUT, "shape of '%s': its mesh encloses no volume", name);
    }
    *turned = volume < 0;
    if (!*turned) return FIRN_OK;
    warn_turned(name);
    for (size_t t = 0; t < m->triangles; t++) {
        uint32_t *v = m->triangle[t], kept = v[1];
        v[1] = v[2], v[2] = kept;
    }
    for (size_t i = 0; m->normal && i < m->vertices; i++) {
        for (int k = 0; k < 3; k++) m->normal[i][k] = -m->normal[i][k];
    }
    return FIRN_OK;
}

static void set_distance(const void *context, size_t n, const float *x, const float *y, const float *z,
                         float *distance) {
    levelset_query(context, n, x, y, z, distance, NULL, NULL, NULL);
}

// Integrals over the mesh are exact if it is closed; otherwise the inside of the level set is sampled.
static firn_status measure_mass(solid *s, float cell) {
    mesh_defects defects;
    TRY(mesh_inspect(&s->mesh, &defects));
    if (!defects.open_edges && !defects.flipped_edges) {
        mass_of_mesh(&s->mesh, &s->mass);
        return FIRN_OK;
    }
    double margin = 2 * (double)cell;
    firn_vec3 low = {(double)s->low[0] - margin, (double)s->low[1] - margin, (double)s->low[2] - margin};
    firn_vec3 high = {(double)s->high[0] + margin, (double)s->high[1] + margin, (double)s->high[2] + margin};
    return mass_by_sampling(set_distance, s->set, low, high, &s->mass);
}

// Chord from a point on the surface straight inwards to the far side.
static float chord(const solid *s, const float from[3], float cell, float longest) {
    float d, n[3], p[3] = {from[0], from[1], from[2]}, way = 0;
    levelset_query(s->set, 1, &p[0], &p[1], &p[2], &d, &n[0], &n[1], &n[2]);
    for (float step = cell / 8; way < longest; step = fmaxf(-d, cell / 8)) {
        way += step;
        for (int k = 0; k < 3; k++) p[k] = from[k] - way * n[k];
        levelset_query(s->set, 1, &p[0], &p[1], &p[2], &d, NULL, NULL, NULL);
        if (d >= 0) break;
    }
    return way;
}

// Minimum thickness: a low quantile (one in sixteen) of the chords through the contact points, so that sharp
// edges, where every solid is thin, are ignored; at most the shortest side of the box, at least a quarter of
// a cell.
static firn_status measure_thickness(solid *s, float cell) {
    float sides[3], chords[SHAPE_PROBES];
    for (int k = 0; k < 3; k++) sides[k] = s->high[k] - s->low[k];
    float shortest = fminf(sides[0], fminf(sides[1], sides[2]));
    size_t count = s->probe_count < SHAPE_PROBES ? s->probe_count : SHAPE_PROBES;
    for (size_t i = 0; i < count; i++) {
        float c = chord(s, s->probes[i].at, cell, shortest);
        size_t j = i;
        for (; j > 0 && chords[j - 1] > c; j--) chords[j] = chords[j - 1];
        chords[j] = c;
    }
    s->thickness = (double)fmaxf(fminf(shortest, count ? chords[count / 16] : shortest), cell / 4);
    return FIRN_OK;
}

// The level set refines itself until it is right to a tenth of a cell, so the cell is a tolerance. What we
// generate is known to look and weigh right (within 1 %) with these; of files we know nothing.
static float default_cell(firn_shape_kind kind, float longest) {
    switch (kind) {
    case FIRN_SHAPE_HARE:
    case FIRN_SHAPE_SNOWMAN:
    case FIRN_SHAPE_ROCK:
    case FIRN_SHAPE_HOUSE: return longest / 16;
    case FIRN_SHAPE_TREE: return longest / 20;
    case FIRN_SHAPE_LAMP_POST: return longest / 32;
    case FIRN_SHAPE_FENCE: return fmaxf(1.0f / 16, longest / CELLS_MOST); // of its height
    default: return longest / 48;
    }
}

static firn_status build(const solid_make *make, const char *name, solid *s) {
    TRY(make_mesh(make, &s->mesh));
    TRY(stop_check());
    TRY(check_mesh(&s->mesh, name, &s->turned));
    if (make->standing) proc_stand(&s->mesh);
    if (!s->mesh.normal) TRY(mesh_smooth_normals(&s->mesh, 0.7f));
    mesh_bounds(&s->mesh, s->low, s->high);
    float longest = fmaxf(s->high[0] - s->low[0], fmaxf(s->high[1] - s->low[1], s->high[2] - s->low[2]));
    if (!(longest > 1e-9f && longest < 1e9f)) {
        return fail(FIRN_BAD_INPUT, "shape of '%s': its mesh is %g units large; give it a height", name,
                    (double)longest);
    }
    float cell = make->cell > 0 ? make->cell : default_cell(make->kind, longest);
    if (!(longest / cell <= CELLS_MOST)) {
        return fail(
            FIRN_BAD_INPUT,
            "shape of '%s': its resolution is too fine: %.0f cells along its longest side, at most %d", name,
            (double)(longest / cell), CELLS_MOST);
    }
    TRY(stop_check());
    TRY(levelset_create(&s->mesh, cell, name, &s->set));
    TRY(measure_mass(s, cell));
    TRY(shape_probes_mesh(&s->mesh, &s->probes, &s->probe_count));
    return measure_thickness(s, cell);
}

// From the run's folder, if the file is a copy that a run keeps, or from the cache.
static bool read_built(const solid_make *make, uint64_t file_hash, uint64_t key, const char *name, solid *s) {
    bool found = false;
    if (make->path && asset_is_kept(make->path, file_hash)) {
        char folder[PATH_ROOM], path[PATH_ROOM];
        path_folder(make->path, folder, sizeof folder);
        solid_path(folder, key, path, sizeof path);
        found = solid_read(NULL, path, key, s) == FIRN_OK;
    }
    if (!found && !solid_cache_read(key, s)) return false;
    if (s->turned) warn_turned(name);
    levelset_warn(s->set, &s->mesh, name);
    return true;
}

static firn_status make_entry(const solid_make *make, uint64_t file_hash, const char *name, entry **out) {
    entry *made = mem_zero(1, sizeof *made);
    if (!made) return fail_memory("making a shape", sizeof *made);
    made->key = solid_key(make, file_hash);
    made->file_hash = file_hash;
    made->users = 1;
    made->owner = context_here();
    if (!read_built(make, file_hash, made->key, name, &made->whole)) {
        firn_status status = build(make, name, &made->whole);
        if (status != FIRN_OK) {
            destroy(made);
            return status;
        }
        solid_cache_write(&made->whole, made->key);
    }
    *out = made;
    return FIRN_OK;
}

// Built outside of the lock, since building uses threads that others may wait for; the second to finish
// discards its copy.
firn_status solid_obtain(const solid_make *make, const char *name, solid **out) {
    uint64_t file_hash = 0;
    if (make->path) TRY(asset_hash(make->path, &file_hash));
    uint64_t key = solid_key(make, file_hash);
    par_lock_take(&lock);
    entry *found = find_and_use(key), *made = NULL;
    par_lock_release(&lock);
    if (!found) {
        TRY(make_entry(make, file_hash, name, &made));
        par_lock_take(&lock);
        found = find_and_use(key);
        if (!found) {
            made->next = made->owner->solids.first;
            made->owner->solids.first = made;
        }
        par_lock_release(&lock);
        if (found) destroy(made);
    }
    *out = &(found ? found : made)->whole;
    return FIRN_OK;
}

// Removes unused entries from the list, unless they are held; the lock must be held.
static entry *take_unused(firn_context *owner) {
    entry *unused = NULL;
    if (owner->solids.holds) return NULL;
    for (entry **p = &owner->solids.first; *p;) {
        entry *e = *p;
        if (e->users) {
            p = &e->next;
            continue;
        }
        *p = e->next;
        e->next = unused;
        unused = e;
    }
    return unused;
}

static void destroy_all(entry *e) {
    while (e) {
        entry *next = e->next;
        destroy(e);
        e = next;
    }
}

void solid_release(solid *s) {
    if (!s) return;
    par_lock_take(&lock);
    ((entry *)s)->users--;
    entry *unused = take_unused(((entry *)s)->owner);
    par_lock_release(&lock);
    destroy_all(unused);
}

void solids_hold(void) {
    par_lock_take(&lock);
    context_here()->solids.holds++;
    par_lock_release(&lock);
}

void solids_release(void) {
    par_lock_take(&lock);
    context_here()->solids.holds--;
    entry *unused = take_unused(context_here());
    par_lock_release(&lock);
    destroy_all(unused);
}

firn_status solids_keep(uint64_t file_hash, const file_folder *run, const char *own) {
    firn_status status = FIRN_OK;
    par_lock_take(&lock);
    for (const entry *e = context_here()->solids.first; e && status == FIRN_OK; e = e->next) {
        char path[PATH_ROOM];
        solid there;
        if (e->file_hash != file_hash) continue;
        solid_path(own, e->key, path, sizeof path);
        if (solid_read(run, path, e->key, &there) == FIRN_OK)
            solid_free(&there);
        else
            status = solid_write(&e->whole, e->key, run, path);
    }
    par_lock_release(&lock);
    return status;
}
