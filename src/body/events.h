// The list that models add events to during a step.
#ifndef BODY_EVENTS_H
#define BODY_EVENTS_H

#include <firn/events.h>
#include <firn/model.h>

#include "base/memory.h"

struct firn_event_list {
    uint32_t kinds; // flags 1 << kind
    uint64_t step;  // filled into every event
    double time;
    firn_event *items;
    size_t count, capacity;
    uint64_t dropped;
};

static inline bool event_wanted(const firn_event_list *list, firn_event_kind kind) {
    return list && (list->kinds >> kind & 1);
}

// Without anything that not every kind has.
static inline firn_event event_of(firn_event_kind kind, const char *model) {
    return (firn_event){.kind = kind,
                        .model = model,
                        .body = SIZE_MAX,
                        .other = SIZE_MAX,
                        .item = UINT64_MAX,
                        .partner = UINT64_MAX};
}

#endif
