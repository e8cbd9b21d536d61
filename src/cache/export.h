// Exports of runs for other programs. One source file per format; each gets the frames one after the other.
#ifndef CACHE_EXPORT_H
#define CACHE_EXPORT_H

#include "base/file.h"
#include "base/text.h"
#include "cache/cache.h"

typedef struct export_job {
    const firn_export_options *options;
    run_folder *run;
    firn_world *world; // the present frame is loaded into it
    void *state;       // the format's own
} export_job;

typedef struct export_format {
    const char *name;
    const char *what; // NULL: what the format is for
    const char *help;
    // Before the first frame; after the last (not after a failure); always at last. All may be NULL.
    firn_status (*begin)(export_job *job);
    firn_status (*frame)(export_job *job, uint64_t number); // NULL: frames are not looked at
    firn_status (*end)(export_job *job);
    void (*cleanup)(export_job *job);
} export_format;

extern const export_format export_ply, export_obj, export_xdmf, export_png16;
extern const export_format export_surface_ply, export_surface_obj, export_density_xdmf;
extern const export_format export_cover_ply, export_cover_obj, export_cover_png16, export_cover_float,
    export_cover_text, export_text;
extern const export_format export_field_png16, export_field_float, export_field_obj, export_field_clods;

// OUTPUT/<name>_000042.<ending>
firn_status export_path(const export_job *job, const char *name, uint64_t frame, const char *ending,
                        char out[PATH_ROOM]);
// The shown fields of a model that has a position of three components: position first, then those of the same
// count.
enum { EXPORT_NAME = 64 };
typedef struct export_points {
    char model[EXPORT_NAME]; // "grains" of "grains.position"
    firn_field *fields;
    size_t count;
} export_points;
// Calls `each` for every such model of the present frame.
firn_status export_each_points(export_job *job, uint64_t number,
                               firn_status (*each)(export_job *job, const export_points *points,
                                                   uint64_t number));
// Adds the line of a PLY header for one component of a field.
void export_ply_property(text *t, const firn_field *f, uint32_t component);
// OUTPUT/<name>.xdmf: a series of grids over time.
firn_status export_write_series(const export_job *job, const char *name, const text *grids);
// "velocity" of "grains.velocity"
const char *export_short_name(const firn_field *field);
// A point or direction of a body's mesh in the world.
void export_to_world(const firn_body_state *body, const float from[3], bool direction, float to[3]);

#endif
