// Bodies as OBJ: one file per frame, one named object per body, in the world's frame.

#include "base/memory.h"
#include "base/plain.h"
#include "base/text.h"
#include "cache/export.h"

// text_add would compose every number twice; meshes have many.
static void add_vector(text *t, const char *word, const float v[3]) {
    char line[96];
    int length = plain_print(line, sizeof line, "%s %.9g %.9g %.9g\n", word, v[0], v[1], v[2]);
    text_add_bytes(t, line, (size_t)length);
}

static void add_triangle(text *t, const uint32_t corner[3], size_t first, bool normals) {
    char line[160];
    unsigned long long a = first + corner[0], b = first + corner[1], c = first + corner[2];
    int length =
        normals ? plain_print(line, sizeof line, "f %llu//%llu %llu//%llu %llu//%llu\n", a, a, b, b, c, c)
                : plain_print(line, sizeof line, "f %llu %llu %llu\n", a, b, c);
    text_add_bytes(t, line, (size_t)length);
}

// Vertices and normals count from 1 through the whole file; a body without normals gets zero ones, so that
// both counts stay equal.
static void add_body(text *t, const firn_world *world, size_t b, size_t first) {
    const mesh *m = body_mesh(world_bodies(world), b);
    firn_body_state body = firn_world_body_state(world, b);
    text_add(t, "o %s\n", firn_world_body_name(world, b));
    float out[3];
    for (size_t v = 0; v < m->vertices; v++) {
        export_to_world(&body, m->position[v], false, out);
        add_vector(t, "v", out);
    }
    static const float none[3] = {0, 0, 0};
    for (size_t v = 0; v < m->vertices; v++) {
        export_to_world(&body, m->normal ? m->normal[v] : none, true, out);
        add_vector(t, "vn", out);
    }
    for (size_t i = 0; i < m->triangles; i++) add_triangle(t, m->triangle[i], first, m->normal != NULL);
}

static firn_status obj_frame(export_job *job, uint64_t number) {
    char path[PATH_ROOM], *written;
    TRY(export_path(job, "bodies", number, "obj", path));
    text t = {0};
    text_add(&t, "# firn %s, t = %.9g s\n", firn_version(), firn_world_time(job->world));
    size_t first = 1;
    for (size_t b = 0; b < firn_world_body_count(job->world); b++) {
        add_body(&t, job->world, b, first);
        first += body_mesh(world_bodies(job->world), b)->vertices;
    }
    TRY(text_take(&t, &written));
    firn_status status = file_write_text(path, written);
    mem_free(written);
    return status;
}

static firn_status obj_begin(export_job *job) {
    if (firn_world_body_count(job->world) > 0) return FIRN_OK;
    return fail(FIRN_BAD_INPUT, "this scene has no bodies; 'ply' and 'xdmf' export its points");
}

const export_format export_obj = {
    .name = "obj", .help = "bodies as meshes, per frame", .begin = obj_begin, .frame = obj_frame};
