// Kept states: a timeline with a limit of memory.
#include "frames.h"

#include <stdlib.h>

#include "thread.h"

struct frames {
    monitor *lock;
    kept **item;
    size_t count, capacity, bytes, limit;
    uint64_t stride;
};

frames *frames_create(size_t limit) {
    frames *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    *f = (frames){.lock = monitor_create(), .limit = limit, .stride = 1};
    if (f->lock) return f;
    free(f);
    return NULL;
}

static void release(kept *k) {
    if (--k->users > 0) return;
    firn_data_free(k->data);
    free(k);
}

void frames_free(frames *f) {
    if (!f) return;
    frames_clear(f);
    monitor_free(f->lock);
    free(f->item);
    free(f);
}

kept *kept_create(unsigned generation, void *data, size_t bytes, const firn_world *world) {
    kept *k = malloc(sizeof *k);
    if (!k) {
        firn_data_free(data);
        return NULL;
    }
    *k = (kept){.users = 1,
                .generation = generation,
                .data = data,
                .bytes = bytes,
                .time = firn_world_time(world),
                .step = firn_world_steps(world),
                .frame = firn_world_frame(world)};
    return k;
}

kept *kept_hold(frames *f, kept *k) {
    if (!k) return NULL;
    monitor_enter(f->lock);
    k->users++;
    monitor_leave(f->lock);
    return k;
}

void kept_drop(frames *f, kept *k) {
    if (!k) return;
    monitor_enter(f->lock);
    release(k);
    monitor_leave(f->lock);
}

// The first and the last stay.
static void thin_out(frames *f) {
    size_t left = 0;
    for (size_t i = 0; i < f->count; i++) {
        if (i % 2 == 0 || i + 1 == f->count) {
            f->item[left++] = f->item[i];
            continue;
        }
        f->bytes -= f->item[i]->bytes;
        release(f->item[i]);
    }
    f->count = left;
    f->stride *= 2;
}

void frames_add(frames *f, kept *k) {
    monitor_enter(f->lock);
    if (f->count == f->capacity) {
        size_t capacity = f->capacity ? 2 * f->capacity : 64;
        kept **item = realloc(f->item, capacity * sizeof *item);
        if (item) {
            f->item = item;
            f->capacity = capacity;
        }
    }
    bool wanted = f->count == 0 || k->frame % f->stride == 0;
    if (wanted && f->count < f->capacity) {
        k->users++;
        f->item[f->count++] = k;
        f->bytes += k->bytes;
        if (f->bytes > f->limit && f->count > 4) thin_out(f);
    }
    monitor_leave(f->lock);
}

static void cut_to(frames *f, size_t count) {
    while (f->count > count) {
        kept *k = f->item[--f->count];
        f->bytes -= k->bytes;
        release(k);
    }
    if (f->count == 0) f->stride = 1;
}

void frames_clear(frames *f) {
    monitor_enter(f->lock);
    cut_to(f, 0);
    monitor_leave(f->lock);
}

void frames_cut(frames *f, uint64_t step) {
    monitor_enter(f->lock);
    size_t count = 0;
    while (count < f->count && f->item[count]->step <= step) count++;
    cut_to(f, count);
    monitor_leave(f->lock);
}

frames_state frames_now(frames *f) {
    monitor_enter(f->lock);
    frames_state s = {.count = f->count, .bytes = f->bytes, .stride = f->stride};
    if (f->count) {
        s.first = f->item[0]->time;
        s.last = f->item[f->count - 1]->time;
    }
    monitor_leave(f->lock);
    return s;
}

kept *frames_at(frames *f, size_t index) {
    monitor_enter(f->lock);
    kept *k = index < f->count ? f->item[index] : NULL;
    if (k) k->users++;
    monitor_leave(f->lock);
    return k;
}
