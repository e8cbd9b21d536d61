// A solid as bytes: a head with counts and small values, then the arrays one after the other. Files may come
// from anywhere, so nothing in them is trusted: a checksum finds damage, and every index is checked before
// use.
#include "geom/solid_file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "geom/levelset_data.h"

enum { PARTS = 7, FILE_MOST = 1 << 30 };
static const char MAGIC[8] = "firnsol1";

typedef struct solid_head {
    char magic[8];
    uint64_t key, check; // check: hash of the whole file with check = 0
    uint64_t vertices, triangles, probes, groups, samples;
    uint32_t blocks[3];
    float set_low[3], set_high[3], cell, per_block;
    float low[3], high[3];
    uint32_t smoothed, turned, spare;
    double thickness;
    shape_mass mass;
} solid_head;
_Static_assert(sizeof(solid_head) == 8 * 8 + 16 + 32 + 24 + 8 + 8 + sizeof(shape_mass), "no padding");

// SOLID_STAMP (cmake/libfirn.cmake) changes with the sources, the compiler and its options.
uint64_t solid_key(const solid_make *make, uint64_t file_hash) {
    uint64_t hash = hash64_text(SOLID_STAMP, 1);
    int32_t kind = (int32_t)make->kind, standing = make->standing;
    hash = hash64_text(isa_name(isa_active()), hash);
    hash = hash64(&kind, sizeof kind, hash);
    hash = hash64(&standing, sizeof standing, hash);
    hash = hash64(&make->seed, sizeof make->seed, hash);
    hash = hash64(&make->style, sizeof make->style, hash);
    hash = hash64(&make->length, sizeof make->length, hash);
    hash = hash64(&make->cell, sizeof make->cell, hash);
    hash = hash64(&file_hash, sizeof file_hash, hash);
    // The ending decides how a file is read.
    const char *dot = make->path ? strrchr(make->path, '.') : NULL;
    char ending[8] = {0};
    for (size_t i = 0; dot && dot[i] && i + 1 < sizeof ending; i++)
        ending[i] = (char)tolower((unsigned char)dot[i]);
    return hash64_text(ending, hash);
}

void solid_path(const char *folder, uint64_t key, char *out, size_t size) {
    char name[32];
    snprintf(name, sizeof name, "%016llx.solid", (unsigned long long)key);
    path_join(folder, name, out, size);
}

static size_t block_count(const levelset *l) { return (size_t)l->blocks[0] * l->blocks[1] * l->blocks[2]; }

// The arrays in their order; sizes follow from the counts.
static void list_parts(const solid *s, file_part parts[PARTS]) {
    const mesh *m = &s->mesh;
    const levelset *l = s->set;
    const file_part all[PARTS] = {
        {m->position, m->vertices * sizeof *m->position},   {m->normal, m->vertices * sizeof *m->normal},
        {m->triangle, m->triangles * sizeof *m->triangle},  {s->probes, s->probe_count * sizeof *s->probes},
        {l->top, block_count(l) * sizeof *l->top},          {l->parts, l->groups * 64 * sizeof *l->parts},
        {l->samples, l->sample_count * sizeof *l->samples},
    };
    memcpy(parts, all, sizeof all);
}

static uint64_t check_of(solid_head head, const file_part parts[PARTS]) {
    head.check = 0;
    uint64_t hash = hash64(&head, sizeof head, 1);
    for (size_t i = 0; i < PARTS; i++) hash = hash64(parts[i].data, parts[i].bytes, hash);
    return hash;
}

firn_status solid_write(const solid *s, uint64_t key, const file_folder *in, const char *path) {
    const levelset *l = s->set;
    solid_head head;
    memset(&head, 0, sizeof head);
    memcpy(head.magic, MAGIC, sizeof head.magic);
    head.key = key;
    head.vertices = s->mesh.vertices, head.triangles = s->mesh.triangles, head.probes = s->probe_count;
    head.groups = l->groups, head.samples = l->sample_count;
    memcpy(head.blocks, l->blocks, sizeof head.blocks);
    head.smoothed = l->smoothed, head.turned = s->turned;
    memcpy(head.set_low, l->low, sizeof head.set_low);
    memcpy(head.set_high, l->high, sizeof head.set_high);
    head.cell = l->cell, head.per_block = l->per_block;
    memcpy(head.low, s->low, sizeof head.low);
    memcpy(head.high, s->high, sizeof head.high);
    head.thickness = s->thickness, head.mass = s->mass;
    file_part parts[1 + PARTS] = {{&head, sizeof head}};
    list_parts(s, parts + 1);
    head.check = check_of(head, parts + 1);
    return file_write_in(in, path, parts, 1 + PARTS);
}

static firn_status damaged(const char *path) { return fail(FIRN_IO, "'%s' is damaged", path); }

// Counts so large that their arrays cannot be in the file are found before memory is taken.
static bool sizes_fit(const solid_head *h, size_t bytes) {
    const uint64_t most = FILE_MOST;
    if (h->vertices > most || h->triangles > most || h->probes > most || h->groups > most ||
        h->samples > most || h->blocks[0] > 1 << 22 || h->blocks[1] > 1 << 22 || h->blocks[2] > 1 << 22)
        return false;
    uint64_t blocks = (uint64_t)h->blocks[0] * h->blocks[1];
    if (blocks > 1 << 22 || blocks * h->blocks[2] > 1 << 22) return false;
    blocks *= h->blocks[2];
    return sizeof *h + 24 * h->vertices + 12 * h->triangles + sizeof(shape_probe) * h->probes + 4 * blocks +
               256 * h->groups + 4 * h->samples ==
           bytes;
}

static firn_status make_room(const solid_head *h, solid *s) {
    levelset *l = s->set = mem_zero(1, sizeof *l);
    if (!l) return fail_memory("reading a level set", sizeof *l);
    TRY(mesh_alloc(h->vertices, h->triangles, true, &s->mesh));
    memcpy(l->blocks, h->blocks, sizeof l->blocks);
    l->groups = h->groups, l->sample_count = h->samples;
    s->probe_count = h->probes;
    s->probes = mem_alloc(h->probes * sizeof *s->probes);
    l->top = mem_alloc(block_count(l) * sizeof *l->top);
    l->parts = mem_alloc(l->groups * 64 * sizeof *l->parts);
    l->samples = mem_alloc(l->sample_count * sizeof *l->samples);
    if (!s->probes || !l->top || !l->parts || !l->samples)
        return fail_memory("reading a level set", l->sample_count * sizeof *l->samples);
    return FIRN_OK;
}

static bool all_finite(const float *v, size_t count) {
    float sum = 0.0f; // 0 * v is NaN for NaN and infinity
    for (size_t i = 0; i < count; i++) sum += 0.0f * v[i];
    return sum == 0.0f;
}

static bool entry_valid(const levelset *l, uint32_t entry, bool may_split) {
    uint32_t level = entry & 7;
    if (level == LEVELSET_SPLIT) return may_split && entry >> 3 < l->groups;
    if (level > LEVELSET_MAX_LEVEL) return false;
    size_t side = levelset_side(level);
    return (size_t)(entry >> 3) * LEVELSET_ALIGN + side * side * side <= l->sample_count;
}

static bool contents_valid(const solid *s) {
    const mesh *m = &s->mesh;
    const levelset *l = s->set;
    for (size_t i = 0; i < 3 * m->triangles; i++)
        if (m->triangle[i / 3][i % 3] >= m->vertices) return false;
    for (size_t i = 0; i < block_count(l); i++)
        if (!entry_valid(l, l->top[i], true)) return false;
    for (size_t i = 0; i < l->groups * 64; i++)
        if (!entry_valid(l, l->parts[i], false)) return false;
    return all_finite(&m->position[0][0], 3 * m->vertices) && all_finite(&m->normal[0][0], 3 * m->vertices) &&
           all_finite(l->samples, l->sample_count) && all_finite(l->low, 3) && all_finite(l->high, 3) &&
           all_finite(&l->cell, 1) && l->cell > 0.0f && l->groups > 0 && isfinite(s->thickness) &&
           isfinite(s->mass.volume);
}

static firn_status unpack(const char *data, size_t bytes, const char *path, uint64_t key, solid *s) {
    solid_head head;
    if (bytes < sizeof head) return damaged(path);
    memcpy(&head, data, sizeof head);
    if (memcmp(head.magic, MAGIC, sizeof head.magic) != 0 || head.key != key || !sizes_fit(&head, bytes))
        return damaged(path);
    TRY(make_room(&head, s));
    levelset *l = s->set;
    file_part parts[PARTS];
    list_parts(s, parts);
    const char *at = data + sizeof head;
    for (size_t i = 0; i < PARTS; i++) {
        if (parts[i].bytes) memcpy((void *)(uintptr_t)parts[i].data, at, parts[i].bytes);
        at += parts[i].bytes;
    }
    l->smoothed = head.smoothed != 0;
    s->turned = head.turned != 0;
    memcpy(l->low, head.set_low, sizeof l->low);
    memcpy(l->high, head.set_high, sizeof l->high);
    l->cell = head.cell, l->per_block = head.per_block;
    memcpy(s->low, head.low, sizeof s->low);
    memcpy(s->high, head.high, sizeof s->high);
    s->thickness = head.thickness, s->mass = head.mass;
    return check_of(head, parts) == head.check && contents_valid(s) ? FIRN_OK : damaged(path);
}

firn_status solid_read(const file_folder *in, const char *path, uint64_t key, solid *out) {
    *out = (solid){0};
    char *data;
    size_t bytes;
    if (!file_exists_in(in, path)) return fail(FIRN_IO, "there is no '%s'", path);
    TRY(file_read_in(in, path, FILE_MOST, &data, &bytes));
    firn_status status = unpack(data, bytes, path, key, out);
    mem_free(data);
    if (status != FIRN_OK) solid_free(out);
    return status;
}
