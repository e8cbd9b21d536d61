/* firn: what happened in a world while it stepped. Off by default; when on, polled after each call that
 * steps.
 */
#ifndef FIRN_EVENTS_H
#define FIRN_EVENTS_H

#include <firn/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum firn_event_kind {
    FIRN_EVENT_CONTACT_BEGIN, /* two bodies, or a body and a model (except the wind), begin to push each other
                               */
    FIRN_EVENT_CONTACT_END,   /* they have not pushed each other for 20 ms */
    FIRN_EVENT_BREAK,         /* a link between two particles broke (pbd, phase); snow of mpm: see below */
    FIRN_EVENT_MELT,          /* a grain of phase became water */
    FIRN_EVENT_FREEZE,        /* water of phase became ice or snow again */
    FIRN_EVENT_LANDED,  /* a simulated flake landed on the ground, a body, the cover or the snow field */
    FIRN_EVENT_ENTERED, /* a model gained mass: emitted, poured, fallen or added */
    FIRN_EVENT_LEFT,    /* a model lost mass: drained, removed or out of its domain */
    FIRN_EVENT_KINDS,
} firn_event_kind;

/* Members that do not apply to a kind are 0, SIZE_MAX or UINT64_MAX.

   Snow of mpm breaks where tension loosens it (J_P grows) until it has 1/e of its initial stiffness:
   hardening (J_P - 1) > 1. All particles of a piece of snow that do so in a step are one event. Snow that is
   compacted again may break again. */
typedef struct firn_event {
    firn_event_kind kind;
    const char *model;  /* "phase"; "bodies": of bodies with each other. Valid until the world is closed */
    uint64_t step;      /* number of the step */
    double time;        /* s, at the end of the step */
    size_t body, other; /* contacts: a body; the other one, SIZE_MAX if it is a model */
    uint64_t item, partner; /* BREAK: ids of the two particles; of mpm only item: index of the piece of snow,
                               as in mpm.snow; MELT, FREEZE: id of the particle */
    firn_vec3 position;     /* m: of the contact (with a model: the body's position), the middle of the link,
                               the particle or the flake; of broken snow its centre of mass */
    double amount; /* CONTACT_BEGIN: N s, magnitude of the impulse in that step; BREAK of mpm, LANDED,
                      ENTERED, LEFT: kg */
} firn_event;

/* "contact_begin"; NULL if there is no such kind. */
FIRN_API const char *firn_event_name(firn_event_kind kind); /* [any] */

/* From now on these kinds are recorded: flags 1 << kind; 0: none (default). Contacts that exist already are
   reported at the next step. Kinds that are not recorded cost nothing; ENTERED and LEFT compute the balance
   of every model in each step. */
FIRN_API firn_status firn_world_listen(firn_world *world, uint32_t kinds); /* [world] */
/* What happened during the last firn_world_step or firn_world_advance, in the order of steps; the same list
   on any number of threads. The array is valid until the next call that steps, loads or listens. At most
   65536 events of a call are kept, or as many as memory allows: *dropped (may be NULL) counts the others.
   Events are not part of the state; a world that is saved and loaded reports its contacts again. */
FIRN_API firn_status firn_world_events(const firn_world *world, const firn_event **events, size_t *count,
                                       uint64_t *dropped); /* [read] */

#ifdef __cplusplus
}
#endif
#endif
