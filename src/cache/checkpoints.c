// Which checkpoints a run keeps.
#include "cache/folder.h"

#include <string.h>

#include "base/memory.h"

uint64_t checkpoint_every(const scene *s) { return s->def.checkpoint > 0 ? (uint64_t)s->def.checkpoint : 1; }

checkpoint checkpoint_of(world_clock clock, const scene *s) {
    bool ends_frame = clock.time == (double)clock.frame / s->def.world.fps; // as the world's clock does
    return (checkpoint){clock.step, clock.frame, ends_frame && clock.frame % checkpoint_every(s) == 0};
}

firn_status checkpoints_add(checkpoint_list *list, checkpoint item) {
    size_t at = list->count;
    while (at > 0 && list->items[at - 1].step >= item.step) at--;
    if (at < list->count && list->items[at].step == item.step) {
        list->items[at] = item;
        return FIRN_OK;
    }
    if (!array_reserve(&list->items, &list->capacity, list->count + 1, sizeof item))
        return fail_memory("listing checkpoints", (list->count + 1) * sizeof item);
    memmove(list->items + at + 1, list->items + at, (list->count - at) * sizeof item);
    list->items[at] = item;
    list->count++;
    return FIRN_OK;
}

void checkpoints_drop(checkpoint_list *list, size_t index) {
    list->count--;
    memmove(list->items + index, list->items + index + 1, (list->count - index) * sizeof *list->items);
}

size_t checkpoints_before(const checkpoint_list *list, uint64_t frame) {
    for (size_t i = list->count; i-- > 0;)
        if (list->items[i].frame < frame) return i;
    return list->count;
}

bool checkpoints_keep(const checkpoint_list *list, size_t index, uint64_t every, uint64_t goal) {
    const checkpoint *c = &list->items[index], *newest = &list->items[list->count - 1];
    if (c == newest || index == checkpoints_before(list, goal)) return true;
    if (!c->regular) return false;
    bool newer = false; // a regular one between this and the newest
    for (size_t i = index + 1; i + 1 < list->count; i++) newer = newer || list->items[i].regular;
    return !newer || c->frame / every % checkpoint_stride(newest->frame, every) == 0;
}

firn_status checkpoints_prune(const file_folder *folder, checkpoint_list *list, uint64_t every,
                              uint64_t goal) {
    for (size_t i = list->count; i-- > 0;) {
        if (checkpoints_keep(list, i, every, goal)) continue;
        char name[NAME_ROOM];
        checkpoint_name(list->items[i].step, name);
        TRY(file_remove_in(folder, name));
        checkpoints_drop(list, i);
    }
    return FIRN_OK;
}
