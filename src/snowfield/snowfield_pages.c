// Pages: where the cells of tiles and covers are, on a rank that has those of its own tiles only.
#include "snowfield/snowfield_ranks.h"

#include "base/memory.h"

firn_status snowfield_pages_list(snowfield_pages *p, size_t known, size_t count) {
    if (!array_reserve(&p->page, &p->capacity[0], count + 1, sizeof *p->page))
        return fail_memory("dividing the field among ranks", count * sizeof *p->page);
    for (size_t t = known; t < count; t++) p->page[t] = TILE_NONE;
    return FIRN_OK;
}

firn_status snowfield_pages_take(snowfield_state *s, snowfield_pages *p, size_t t) {
    if (p->page[t] != TILE_NONE) return FIRN_OK;
    if (p->frees == 0) {
        TRY(p == &s->tiles.pages ? snowfield_tiles_room(s, p->used + 1)
                                 : snowfield_covers_room(s, p->used + 1));
        if (!array_reserve(&p->of, &p->capacity[1], p->room, sizeof *p->of) ||
            !array_reserve(&p->free, &p->capacity[2], p->room, sizeof *p->free))
            return fail_memory("dividing the field among ranks", p->room * sizeof *p->of);
        p->free[p->frees++] = (int32_t)p->used++;
    }
    int32_t page = p->free[--p->frees];
    p->page[t] = page;
    p->of[page] = (int32_t)t;
    return FIRN_OK;
}

void snowfield_pages_drop(snowfield_pages *p, size_t t) {
    int32_t page = p->page[t];
    if (page == TILE_NONE) return;
    p->free[p->frees++] = page;
    p->of[page] = TILE_NONE;
    p->page[t] = TILE_NONE;
}

void snowfield_pages_move(snowfield_pages *p, size_t to, size_t from) {
    int32_t page = p->page[to] = p->page[from];
    if (page != TILE_NONE) p->of[page] = (int32_t)to;
    p->page[from] = TILE_NONE;
}

void snowfield_pages_free(snowfield_pages *p) {
    mem_free(p->page);
    mem_free(p->of);
    mem_free(p->free);
    size_t room = p->room;
    *p = (snowfield_pages){.room = room};
}
