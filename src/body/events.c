// The events of a step, kept until they are polled.
#include "body/events.h"

enum { MOST_EVENTS = 1 << 16 };

static const char *const names[FIRN_EVENT_KINDS] = {
    [FIRN_EVENT_CONTACT_BEGIN] = "contact_begin",
    [FIRN_EVENT_CONTACT_END] = "contact_end",
    [FIRN_EVENT_BREAK] = "break",
    [FIRN_EVENT_MELT] = "melt",
    [FIRN_EVENT_FREEZE] = "freeze",
    [FIRN_EVENT_LANDED] = "landed",
    [FIRN_EVENT_ENTERED] = "entered",
    [FIRN_EVENT_LEFT] = "left",
};

const char *firn_event_name(firn_event_kind kind) {
    if ((unsigned)kind < FIRN_EVENT_KINDS) return names[kind];
    fail(FIRN_BAD_INPUT, "invalid kind of event %d: must be 0 .. %d", (int)kind, (int)FIRN_EVENT_KINDS - 1);
    return NULL;
}

// The step goes on without what there is no room for.
void firn_event_add(firn_event_list *list, const firn_event *event) {
    if (!event || !list || (unsigned)event->kind >= FIRN_EVENT_KINDS || !event_wanted(list, event->kind))
        return;
    if (list->count >= MOST_EVENTS ||
        !array_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items)) {
        list->dropped++;
        return;
    }
    firn_event *to = &list->items[list->count++];
    *to = *event;
    to->step = list->step;
    to->time = list->time;
}
