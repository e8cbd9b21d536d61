// The MPM over ranks (net/net.h): each has the blocks of a range of the Morton curve and the particles in
// them. Nothing of it shows in the bits: a particle has a key, its place in the arrays of a run on one rank,
// and wherever the order of particles matters it is that of the keys. Only for files of this folder.
//
// A step needs of other ranks: particles that enter the own blocks; which blocks around are occupied (the
// halo); after P2G, their patches, so that those of all blocks that share nodes with the own ones are there
// to be added up; during contact, the nodes that others have changed; then, exact or in a fixed order, maxima
// and sums.
#ifndef MPM_MPM_RANKS_H
#define MPM_MPM_RANKS_H

#include "mpm/mpm_state.h"
#include "net/net.h"

enum { MPM_RIM = 26, MPM_DYNAMIC_COLOUR = 8, MPM_ALL_RANKS = -1 };

// Which ranks are concerned with a block.
typedef struct mpm_rim {
    uint32_t owner, count;
    uint32_t other[MPM_RIM]; // who own places next to it, but not the block
} mpm_rim;

typedef struct mpm_index_list {
    uint32_t *item;
    size_t count, capacity;
} mpm_index_list;

// A block with contacts whose nodes another rank has, too.
typedef struct mpm_border {
    uint32_t rank, block; // number of the occupied block; BLOCK_NONE: it shares no nodes with own blocks
    uint8_t colour;
    bool out; // to be sent; else received
} mpm_border;

// A block at the border: own, and another rank needs its patch, or of another rank.
typedef struct mpm_halo {
    uint32_t rank, slot;
} mpm_halo;

// One array of the particles.
typedef struct mpm_column {
    char *data;
    size_t item;
} mpm_column;
enum { MPM_COLUMNS = 10 };

typedef struct mpm_ranks {
    uint64_t *cuts; // by rank, and one more: its first block, by Morton key
    bool fresh;     // rank 0 still has all particles
    size_t total;   // of all ranks
    size_t arrived; // in this step, the last ones
    double cpu;     // s of this process outside of messages, up to the last cut
    size_t stepped; // particles times steps since then
    mpm_rim *rim;   // by slot
    size_t known, rim_capacity;
    mpm_index_list *migrants; // by rank
    mpm_halo *own_halo, *halo;
    size_t own_halos, own_halo_capacity, halos, halo_capacity;
    bool *edge; // by occupied block: other ranks need its patch
    size_t edge_capacity;
    net_buffer *out, *in, joined;
    mpm_border *border;
    size_t borders, border_capacity;
    bool contacts, dynamic; // in this step there are some, of dynamic bodies, on any rank
    net_buffer removed;     // mpm_removal: what leaves in this step
    bool agreed;            // all ranks know of the failure of this step
    enum { MPM_NO_SLAB, MPM_SLAB, MPM_WHOLE } slab; // what the particles are; MPM_WHOLE: all are on rank 0
    mpm_particles mine;                             // while they are a slab
    mpm_ledger_sums sums;                           // of all particles then; on rank 0
    double inside[2], dense;                        // the same: time series
} mpm_ranks;

// Parts of a step; without ranks they do nothing.
void mpm_ranks_begin(mpm_state *s);
firn_status mpm_ranks_end(mpm_state *s, firn_status status);
// Cuts the curve anew, so that each rank has as many particles; sends them where they belong.
firn_status mpm_ranks_balance(mpm_state *s);
// Sends particles that have left the own blocks, and receives those that have entered them.
firn_status mpm_ranks_migrate(mpm_state *s);
// Occupied blocks around: adds them to the map; then, once they are registered, says so in them.
firn_status mpm_ranks_find_halo(mpm_state *s);
void mpm_ranks_mark_halo(mpm_state *s);
// Patches of the blocks of the edge; between the two calls the rest of P2G.
void mpm_ranks_send_patches(mpm_state *s);
void mpm_ranks_receive_patches(mpm_state *s);
// A patch in a message.
size_t mpm_ranks_patch_bytes(const mpm_state *s);
void mpm_ranks_pack_patch(const mpm_state *s, const float *patch, char *to);
void mpm_ranks_unpack_patch(const mpm_state *s, const char *from, float *patch);
// After the arrays were put in order: keys.
void mpm_ranks_number(mpm_state *s);
// Which of the occupied blocks are own.
firn_status mpm_ranks_find_own(mpm_state *s);
mpm_rim mpm_ranks_rim(const mpm_state *s, uint32_t slot);
firn_status mpm_ranks_agree(mpm_state *s, firn_status status); // of a check that all ranks make
bool mpm_is_own(const mpm_state *s, uint32_t slot);
// Contacts: lists the blocks at the border; sends and, if that says so, receives their nodes after a pass
// over a colour.
firn_status mpm_ranks_list_contacts(mpm_state *s);
bool mpm_ranks_send_nodes(mpm_state *s, int colour, int from, float *const nodes[3]);
void mpm_ranks_receive_nodes(mpm_state *s, int colour, int from, float *const nodes[3]);
// Reactions of contact.reaction that are not zero, of all ranks in their order.
const mpm_reaction *mpm_ranks_join_reactions(mpm_state *s, size_t *count);
// Fastest particle of the grid (m2/s2), then the limits of all.
void mpm_ranks_join_limits(mpm_state *s, double *grid_speed2);
bool mpm_ranks_any(const mpm_state *s, bool any);
// *found: minus the place of a particle, from 1, or -INFINITY. Returns the index of the first of all ranks;
// SIZE_MAX on those that do not have it.
size_t mpm_ranks_first(const mpm_state *s, double *found);
void mpm_ranks_tell(const mpm_state *s, bool mine, void *data, size_t bytes); // from the rank that has it

typedef struct mpm_removal {
    uint32_t plane, lone, key, material;
} mpm_removal;
void mpm_ranks_note_removal(mpm_state *s, size_t plane, bool lone, uint32_t particle);
void mpm_ranks_remove(mpm_state *s);
// Particles from `first` on have entered, on all ranks.
void mpm_ranks_enter(mpm_state *s, size_t first);

// mpm_ranks_slab.c: particles by key instead of by block, until the next step; firn_model_ranks.gather.
firn_status mpm_ranks_gather(void *model, bool whole);
void mpm_ranks_drop_slab(mpm_state *s);
static inline bool mpm_ranks_in_slabs(const mpm_state *s) { return s->ranks && s->ranks->slab; }
void mpm_ranks_columns(const mpm_particles *p, mpm_column out[MPM_COLUMNS]);
void mpm_ranks_add_index(mpm_index_list *list, size_t i);

void mpm_ranks_forget(mpm_state *s);
extern const struct firn_model_ranks mpm_model_ranks;

#endif
