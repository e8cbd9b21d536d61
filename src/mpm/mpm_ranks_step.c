// What a step exchanges beside particles: nodes of contacts, sums, maxima, what enters and leaves.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpm/mpm_contact.h"
#include "mpm/mpm_ranks.h"

// ---- contacts

static void add_border(mpm_ranks *k, uint32_t rank, uint32_t block, int colour, bool out) {
    if (!array_reserve(&k->border, &k->border_capacity, k->borders + 1, sizeof *k->border))
        net_abort("out of memory for contacts at the border of ranks");
    k->border[k->borders++] = (mpm_border){rank, block, (uint8_t)colour, out};
}

typedef struct contact_note {
    int32_t at[3];
    int32_t colour;
} contact_note;

// Own blocks with contacts at the edge.
static void list_own_contacts(mpm_state *s) {
    mpm_ranks *k = s->ranks;
    const mpm_grid *g = &s->grid;
    for (size_t r = 0; r < net_count(); r++) k->out[r].bytes = 0;
    for (size_t i = g->own_first; i < g->own_end; i++) {
        if (!s->contact.count[i] || !k->edge[i]) continue;
        const mpm_rim rim = mpm_ranks_rim(s, g->occupied[i]);
        contact_note note = {.colour = mpm_contact_colour(s, i)};
        memcpy(note.at, g->map.at[g->occupied[i]], sizeof note.at);
        for (uint32_t n = 0; n < rim.count; n++) {
            add_border(k, rim.other[n], (uint32_t)i, note.colour, true);
            net_buffer_add(&k->out[rim.other[n]], &note, sizeof note);
        }
    }
}

static void list_other_contacts(mpm_state *s) {
    mpm_ranks *k = s->ranks;
    for (size_t r = 0; r < net_count(); r++)
        for (size_t at = 0; at < k->in[r].bytes; at += sizeof(contact_note)) {
            const contact_note *note = (const contact_note *)(const void *)(k->in[r].data + at);
            uint32_t slot = block_map_find(&s->grid.map, note->at);
            uint32_t block = slot == BLOCK_NONE ? BLOCK_NONE : s->grid.block[slot].patch;
            add_border(k, (uint32_t)r, block, note->colour, false);
        }
}

firn_status mpm_ranks_list_contacts(mpm_state *s) {
    mpm_ranks *k = s->ranks;
    const mpm_grid *g = &s->grid;
    double any[3] = {0, 0, 0}; // contacts, of dynamic bodies, at an edge
    k->borders = 0;
    for (size_t i = g->own_first; i < g->own_end; i++) {
        if (!s->contact.count[i]) continue;
        any[0] = 1;
        if (mpm_contact_colour(s, i) == MPM_DYNAMIC_COLOUR) any[1] = 1;
        if (k->edge[i]) any[2] = 1;
    }
    net_max(any, 3);
    k->contacts = any[0] > 0;
    k->dynamic = any[1] > 0;
    if (any[2] == 0) return FIRN_OK;
    list_own_contacts(s);
    net_exchange(k->out, k->in);
    list_other_contacts(s);
    return FIRN_OK;
}

static bool takes_part(const mpm_border *b, int colour, int from) {
    if (b->colour != colour) return false;
    return from == MPM_ALL_RANKS || (b->out ? (size_t)from == net_rank() : (uint32_t)from == b->rank);
}

// Both sides list the contacts of a rank in the same order, so that the lengths are known. Returns whether
// this rank takes part.
bool mpm_ranks_send_nodes(mpm_state *s, int colour, int from, float *const nodes[3]) {
    mpm_ranks *k = s->ranks;
    const mpm_grid *g = &s->grid;
    _Alignas(64) float patch[PATCH_FLOATS];
    size_t bytes = mpm_ranks_patch_bytes(s);
    bool any = false;
    for (size_t n = 0; n < k->borders && !any; n++) any = takes_part(&k->border[n], colour, from);
    if (!any) return false;
    for (size_t r = 0; r < net_count(); r++) k->out[r].bytes = k->in[r].bytes = 0;
    for (size_t n = 0; n < k->borders; n++) {
        const mpm_border *b = &k->border[n];
        if (!takes_part(b, colour, from)) continue;
        for (int a = 0; a < 3 && nodes[a]; a++) {
            if (!b->out) {
                k->in[b->rank].bytes += bytes;
                continue;
            }
            mpm_read_patch(nodes[a], &g->block[g->occupied[b->block]], patch);
            mpm_ranks_pack_patch(s, patch, net_buffer_room(&k->out[b->rank], bytes));
        }
    }
    net_start_known(k->out, k->in);
    return true;
}

// Blocks of one colour share no nodes: the order of writing does not matter.
void mpm_ranks_receive_nodes(mpm_state *s, int colour, int from, float *const nodes[3]) {
    mpm_ranks *k = s->ranks;
    const mpm_grid *g = &s->grid;
    _Alignas(64) float patch[PATCH_FLOATS];
    size_t bytes = mpm_ranks_patch_bytes(s);
    net_finish();
    for (size_t r = 0; r < net_count(); r++) k->in[r].bytes = 0; // read up to there
    for (size_t n = 0; n < k->borders; n++) {
        const mpm_border *b = &k->border[n];
        if (b->out || !takes_part(b, colour, from)) continue;
        for (int a = 0; a < 3 && nodes[a]; a++, k->in[b->rank].bytes += bytes) {
            if (b->block == BLOCK_NONE) continue;
            const mpm_block *block = &g->block[g->occupied[b->block]];
            mpm_read_patch(nodes[a], block, patch);
            mpm_ranks_unpack_patch(s, k->in[b->rank].data + k->in[b->rank].bytes, patch);
            mpm_write_patch(nodes[a], block, nodes[a] == g->nodes ? 3 : 4, patch);
        }
    }
}

const mpm_reaction *mpm_ranks_join_reactions(mpm_state *s, size_t *count) {
    mpm_ranks *k = s->ranks;
    const mpm_reaction none = {{0, 0, 0}, {0, 0, 0}};
    k->removed.bytes = 0;
    for (size_t i = 0; i < *count; i++)
        if (memcmp(&s->contact.reaction[i], &none, sizeof none) != 0)
            net_buffer_add(&k->removed, &s->contact.reaction[i], sizeof none);
    net_gather_all(k->removed.data, k->removed.bytes, &k->joined, NULL);
    k->removed.bytes = 0;
    *count = k->joined.bytes / sizeof none;
    return (const mpm_reaction *)(const void *)k->joined.data;
}

// ---- maxima

void mpm_ranks_join_limits(mpm_state *s, double *grid_speed2) {
    if (!s->ranks) return;
    double most[3] = {*grid_speed2, s->counters.speed2, s->counters.wave_speed2};
    net_max(most, 3);
    *grid_speed2 = most[0], s->counters.speed2 = most[1], s->counters.wave_speed2 = most[2];
}

bool mpm_ranks_any(const mpm_state *s, bool any) {
    double most = any;
    if (s->ranks) net_max(&most, 1);
    return most > 0;
}

size_t mpm_ranks_first(const mpm_state *s, double *found) {
    if (!s->ranks || s->ranks->slab) return *found > -INFINITY ? (size_t) - *found - 1 : SIZE_MAX;
    net_max(found, 1);
    if (!(*found > -INFINITY)) return SIZE_MAX;
    for (size_t i = 0; i < s->p.count; i++)
        if ((double)s->p.key[i] + 1 == -*found) return i;
    return SIZE_MAX;
}

void mpm_ranks_tell(const mpm_state *s, bool mine, void *data, size_t bytes) {
    if (!s->ranks || s->ranks->slab) return;
    double rank = mine ? (double)net_rank() : -1;
    net_max(&rank, 1);
    if (rank >= 0) net_broadcast(data, bytes, (size_t)rank);
}

firn_status mpm_ranks_agree(mpm_state *s, firn_status status) {
    if (!s->ranks) return status;
    s->ranks->agreed = true;
    status = net_agree(status);
    if (status == FIRN_OK) s->ranks->agreed = false;
    return status;
}

// ---- what leaves and enters

void mpm_ranks_note_removal(mpm_state *s, size_t plane, bool lone, uint32_t particle) {
    const mpm_removal one = {(uint32_t)plane, lone, s->p.key[particle], s->p.material[particle]};
    net_buffer_add(&s->ranks->removed, &one, sizeof one);
}

static int compare_keys(const void *a, const void *b) {
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return p < q ? -1 : p > q;
}

// On one rank the last particle takes the place of one that is removed, from the highest place down
// (mpm_close_gaps); here only the keys do so. moved: by removed key, ascending, who has it now.
static void rename_keys(mpm_state *s, const uint32_t *key, size_t count) {
    mpm_ranks *k = s->ranks;
    uint32_t *moved = mem_alloc(count * sizeof *moved);
    if (!moved) net_abort("out of memory for removing particles");
    for (size_t i = count; i-- > 0;) {
        uint32_t last = (uint32_t)--k->total;
        moved[i] = last;
        for (size_t j = i + 1; j < count; j++)
            if (key[j] == last) moved[i] = moved[j];
        if (key[i] == last) moved[i] = UINT32_MAX;
    }
    for (size_t n = 0; n < s->p.count; n++)
        for (size_t i = 0; s->p.key[n] >= k->total && i < count; i++)
            if (moved[i] == s->p.key[n] && key[i] < k->total) s->p.key[n] = key[i];
    mem_free(moved);
}

// Counts in the order of one rank: plane by plane, first what is in blocks, then what is alone; in both the
// order of the ranks is that of the blocks.
void mpm_ranks_remove(mpm_state *s) {
    mpm_ranks *k = s->ranks;
    net_gather_all(k->removed.data, k->removed.bytes, &k->joined, NULL);
    k->removed.bytes = 0;
    size_t count = k->joined.bytes / sizeof(mpm_removal);
    const mpm_removal *all = (const mpm_removal *)(void *)k->joined.data;
    if (count == 0) return;
    for (uint32_t n = 0; n < 2 * s->plane_count; n++)
        for (size_t i = 0; i < count; i++)
            if (all[i].plane == n / 2 && all[i].lone == n % 2)
                mpm_count_removed(s, all[i].plane, all[i].material, 0);
    net_buffer keys = {0};
    uint32_t *key = net_buffer_room(&keys, count * sizeof *key);
    for (size_t i = 0; i < count; i++) key[i] = all[i].key;
    qsort(key, count, sizeof *key, compare_keys);
    rename_keys(s, key, count);
    net_buffer_free(&keys);
}

// They begin on rank 0; the next step sends them on.
void mpm_ranks_enter(mpm_state *s, size_t first) {
    mpm_ranks *k = s->ranks;
    size_t count = s->p.count - first;
    for (size_t i = 0; i < count; i++) s->p.key[first + i] = (uint32_t)(k->total + i);
    k->total += count;
    if (net_rank() > 0) s->p.count = first;
}
