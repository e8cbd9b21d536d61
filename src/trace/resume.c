// Files that a picture goes on from: a head that says what of, then the sums as they are in memory.
#include "trace/resume.h"

#include <string.h>

#include "base/file.h"
#include "base/hash.h"

typedef struct head {
    char name[8];
    uint64_t key, pixels, tiles, check; // check: of what follows
} head;

static head head_of(const trace_state *s, const trace_options *o) {
    head h = {"firntr1", o->key, s->pixels, s->tiles, 0};
    h.check =
        hash64(s->samples, s->tiles * sizeof *s->samples, hash64(s->pixel, s->pixels * sizeof *s->pixel, 0));
    return h;
}

// A file of another picture, of another version or a broken one is passed over: the picture then begins anew.
static void take_file(trace_state *s, const trace_options *o) {
    size_t pixels = s->pixels * sizeof *s->pixel, tiles = s->tiles * sizeof *s->samples, bytes = 0;
    char *data = NULL;
    if (!file_exists(o->resume) ||
        file_read_whole(o->resume, sizeof(head) + pixels + tiles, &data, &bytes) != FIRN_OK)
        return;
    head h = head_of(s, o);
    if (bytes == sizeof h + pixels + tiles && memcmp(data, &h, offsetof(head, check)) == 0) {
        memcpy(s->pixel, data + sizeof h, pixels);
        memcpy(s->samples, data + sizeof h + pixels, tiles);
        h = head_of(s, o);
        if (memcmp(data, &h, sizeof h) != 0) {
            memset(s->pixel, 0, pixels);
            memset(s->samples, 0, tiles);
        }
    }
    mem_free(data);
}

firn_status trace_state_open(trace_state *s, size_t pixels, size_t tiles, const trace_options *o) {
    *s =
        (trace_state){mem_zero(pixels, sizeof *s->pixel), mem_zero(tiles, sizeof *s->samples), pixels, tiles};
    if (!s->pixel || !s->samples) return fail_memory("a picture of final quality", pixels * sizeof *s->pixel);
    if (o->resume) take_file(s, o);
    return FIRN_OK;
}

firn_status trace_state_save(const trace_state *s, const trace_options *o) {
    if (!o->resume) return FIRN_OK;
    head h = head_of(s, o);
    const file_part parts[] = {{&h, sizeof h},
                               {s->pixel, s->pixels * sizeof *s->pixel},
                               {s->samples, s->tiles * sizeof *s->samples}};
    return file_write_whole(o->resume, parts, 3);
}

void trace_state_close(trace_state *s) {
    mem_free(s->pixel);
    mem_free(s->samples);
    *s = (trace_state){0};
}
