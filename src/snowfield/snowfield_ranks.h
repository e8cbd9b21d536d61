// The field over ranks (net/net.h); only for files of this folder. All ranks know which tiles there are, in
// the order of one rank, what moves in them and how high they are, and plan each pass of a step alike. Each
// has the cells of the tiles in a strip of rows of tiles. A piece of work of a pass (the bodies of a chain,
// what is swept together, a region for the limit solver) is done by one rank as on one rank: cells of others
// come to it as guests, and what it has changed goes back.
#ifndef SNOWFIELD_FIELD_RANKS_H
#define SNOWFIELD_FIELD_RANKS_H

#include "net/net.h"
#include "snowfield/snowfield_state.h"

// Cells that a rank works at.
typedef struct snowfield_errand {
    snowfield_rect cells;
    size_t rank;
} snowfield_errand;

enum { SLAB_TILE_ARRAYS = 5, SLAB_COVER_ARRAYS = 4 };
// Tiles and covers in the order of one rank, until the next step.
typedef struct snowfield_slab {
    size_t tile, tiles, cover, covers; // first and number
    void *of_tile[SLAB_TILE_ARRAYS];   // density, mass, crust, ground, depth
    void *of_cover[SLAB_COVER_ARRAYS]; // top_density, top_mass, top_depth, top_height
} snowfield_slab;

typedef struct snowfield_sums { // of all ranks, in units of mass times one cell
    double mass, top, potential;
} snowfield_sums;

typedef struct snowfield_ranks {
    net_buffer *out, *in, own, all; // messages, the first two by rank
    int32_t *guest;                 // tiles of others whose cells are here now
    size_t guests;
    uint32_t *mark; // by tile: it is in the message that is written
    uint32_t stamp;
    snowfield_errand *errand;
    size_t errands;
    size_t *rank;  // of a pass: of each piece of work
    double *value; // by body
    uint8_t *look; // by tile, while some go: snowfield_look
    size_t capacity[6];
    bool laid; // snow that bodies carry has been put down in this step
    snowfield_slab slab;
    snowfield_sums sums;
} snowfield_ranks;

extern const struct firn_model_ranks snowfield_model_ranks;

// snowfield_pages.c. list: there are tiles (or covers) up to `count`, the new ones not here.
firn_status snowfield_pages_list(snowfield_pages *p, size_t known, size_t count);
firn_status snowfield_pages_take(snowfield_state *s, snowfield_pages *p, size_t t);
void snowfield_pages_drop(snowfield_pages *p, size_t t);
void snowfield_pages_move(snowfield_pages *p, size_t to, size_t from); // another number; `to` has none
void snowfield_pages_free(snowfield_pages *p);

size_t snowfield_rank_of_row(const snowfield_state *s,
                             int32_t row); // whose row of tiles it is; 0 on one rank
size_t snowfield_rank_of(const snowfield_state *s, snowfield_rect cells); // that has their middle
bool snowfield_is_own(const snowfield_state *s, size_t t);                // a tile of this rank
bool snowfield_is_mine(const snowfield_state *s, size_t rank);            // its work is done here
// A failure that the others do not know of leaves them waiting.
firn_status snowfield_ranks_end(const snowfield_state *s, firn_status status);

// Collective, and only over ranks. A list of errands is the same on all ranks.
void snowfield_errands_begin(snowfield_state *s);
void snowfield_errand_add(snowfield_state *s, snowfield_rect cells, size_t rank);
void snowfield_fetch(snowfield_state *s); // whole tiles of the errands come as guests
void snowfield_give_back(
    snowfield_state *s); // cells of the errands, no more, go back: masses, densities, crust
void snowfield_dismiss(snowfield_state *s); // guests go
void snowfield_messages_clear(snowfield_state *s);
// What this rank has put into ranks->own, to all: rank by rank in ranks->all.
void snowfield_tell_all(snowfield_state *s);

static inline bool snowfield_ranks_does(const snowfield_state *s, size_t work) { // in the present pass
    return !s->ranks || s->ranks->rank[work] == net_rank();
}

// Parts of a step over ranks; without ranks they do nothing.
firn_status snowfield_ranks_carried(snowfield_state *s, snowfield_rect cells,
                                    size_t *count);     // snow taken off a body, in order
firn_status snowfield_ranks_chains(snowfield_state *s); // bodies that press: cells come
void snowfield_ranks_pressed(snowfield_state *s);       // they go back, those of bodies at rest come
void snowfield_ranks_felt(snowfield_state *s);          // sums and reactions to all
void snowfield_ranks_waves(snowfield_state *s);         // cells between bodies that push each other
void snowfield_ranks_pushed(snowfield_state *s);        // the forces to all
firn_status snowfield_ranks_pieces(snowfield_state *s); // cells of pieces that are swept come
bool snowfield_ranks_keeps(const snowfield_state *s, size_t piece); // its results are needed here
void snowfield_ranks_swept(snowfield_state *s);                     // how far they came
void snowfield_ranks_results(snowfield_state *s);                   // and what has changed
void snowfield_ranks_landed(snowfield_state *s);                    // bits: which ones
const double *snowfield_ranks_tops(snowfield_state *s);             // snow below each body; NULL: one rank
void snowfield_ranks_show(snowfield_state *s);                      // heights of tiles to all
void snowfield_ranks_begin(snowfield_state *s);                     // a step
void snowfield_ranks_leave(snowfield_state *s);                     // all will be here
void snowfield_ranks_free(snowfield_state *s);

// Whether a tile at rest stays, loses its cover, or goes: snowfield_go.c. look_ahead: of each `every`-th
// tile.
typedef enum snowfield_look { LOOK_UNKNOWN, LOOK_STAYS, LOOK_BARE, LOOK_GOES } snowfield_look;
snowfield_look snowfield_look_at(const snowfield_state *s, size_t t);
void snowfield_ranks_look_ahead(snowfield_state *s, size_t first, size_t every);
snowfield_look snowfield_ranks_look(snowfield_state *s, size_t t);

// snowfield_fields.c, sums over a run of tiles or covers.
snowfield_sums snowfield_sum_up(const snowfield_state *s, snowfield_sums before, const snowfield_slab *slab);

#endif
