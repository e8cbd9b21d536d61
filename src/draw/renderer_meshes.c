// Meshes and planes: uploaded once per revision, drawn into surfaces and shadows.
#if FIRN_HAVE_GL
#include <cglm/cglm.h>

#include "draw/renderer_inside.h"

static void free_buffer(mesh_buffer *b) {
    glDeleteVertexArrays(1, &b->array);
    glDeleteBuffers(4, b->buffer);
}

static void attribute(GLuint index, size_t offset) {
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, 3, GL_FLOAT, GL_FALSE, 0, (const void *)offset);
}

static void upload_indexed(mesh_buffer *b, const mesh *m) {
    size_t bytes = m->vertices * sizeof *m->position;
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(2 * bytes), NULL, GL_STATIC_DRAW);
    glBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)bytes, m->position);
    glBufferSubData(GL_ARRAY_BUFFER, (GLintptr)bytes, (GLsizeiptr)bytes, m->normal);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, b->buffer[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(m->triangles * sizeof *m->triangle), m->triangle,
                 GL_STATIC_DRAW);
    attribute(0, 0);
    attribute(1, bytes);
    b->indexed = true;
}

static void upload_colors(mesh_buffer *b, const draw_mesh *item) {
    glBindBuffer(GL_ARRAY_BUFFER, b->buffer[2]);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(item->mesh->vertices * sizeof *item->colors), item->colors,
                 GL_STATIC_DRAW);
    attribute(2, 0);
    b->colored = true;
}

static void upload_rest(mesh_buffer *b, const draw_mesh *item) {
    glBindBuffer(GL_ARRAY_BUFFER, b->buffer[3]);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(item->mesh->vertices * sizeof *item->rest), item->rest,
                 GL_STATIC_DRAW);
    glEnableVertexAttribArray(3);
    glVertexAttribPointer(3, 4, GL_FLOAT, GL_FALSE, 0, NULL);
    b->bound = true;
}

// Without normals: every triangle has its own corners and its own normal.
static firn_status upload_flat(const mesh *m) {
    size_t corners = 3 * m->triangles, bytes = corners * 3 * sizeof(float);
    float(*data)[3] = mem_alloc(2 * bytes);
    if (!data) return fail_memory("drawing a mesh", 2 * bytes);
    for (size_t t = 0; t < m->triangles; t++) {
        vec3 p[3], e[2], n;
        for (int k = 0; k < 3; k++) glm_vec3_copy(m->position[m->triangle[t][k]], p[k]);
        glm_vec3_sub(p[1], p[0], e[0]);
        glm_vec3_sub(p[2], p[0], e[1]);
        glm_vec3_cross(e[0], e[1], n);
        glm_vec3_normalize(n);
        for (int k = 0; k < 3; k++) {
            glm_vec3_copy(p[k], data[3 * t + (size_t)k]);
            glm_vec3_copy(n, data[corners + 3 * t + (size_t)k]);
        }
    }
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(2 * bytes), data, GL_STATIC_DRAW);
    mem_free(data);
    attribute(0, 0);
    attribute(1, bytes);
    return FIRN_OK;
}

static firn_status make_buffer(mesh_buffer *b, const draw_mesh *item) {
    *b = (mesh_buffer){
        .mesh = item->mesh, .revision = item->revision, .corners = (GLsizei)(3 * item->mesh->triangles)};
    glGenVertexArrays(1, &b->array);
    glGenBuffers(4, b->buffer);
    glBindVertexArray(b->array);
    glBindBuffer(GL_ARRAY_BUFFER, b->buffer[0]);
    if (!item->mesh->normal) return upload_flat(item->mesh);
    upload_indexed(b, item->mesh);
    if (item->colors) upload_colors(b, item);
    if (item->rest) upload_rest(b, item);
    return FIRN_OK;
}

// Items of a list mostly keep their places from frame to frame, so the place is tried first.
static mesh_buffer *find_buffer(renderer *r, const draw_mesh *item, size_t place) {
    for (size_t i = 0; i < r->mesh_count; i++) {
        mesh_buffer *b = &r->meshes[(place + i) % r->mesh_count];
        if (b->mesh == item->mesh && b->revision == item->revision) return b;
    }
    return NULL;
}

firn_status renderer_upload_meshes(renderer *r, const draw_list *list) {
    for (size_t i = 0; i < r->mesh_count; i++) r->meshes[i].used = false;
    for (size_t i = 0; i < list->mesh_count; i++) {
        mesh_buffer *b = find_buffer(r, &list->meshes[i], i);
        if (!b) {
            if (!array_reserve(&r->meshes, &r->mesh_capacity, r->mesh_count + 1, sizeof *b))
                return fail_memory("drawing meshes", (r->mesh_count + 1) * sizeof *b);
            b = &r->meshes[r->mesh_count++];
            TRY(make_buffer(b, &list->meshes[i]));
        }
        b->used = true;
    }
    size_t kept = 0;
    for (size_t i = 0; i < r->mesh_count; i++) {
        if (r->meshes[i].used)
            r->meshes[kept++] = r->meshes[i];
        else
            free_buffer(&r->meshes[i]);
    }
    r->mesh_count = kept;
    return gl_check("loading meshes");
}

void renderer_forget(renderer *r) {
    for (size_t i = 0; i < r->mesh_count; i++) free_buffer(&r->meshes[i]);
    r->mesh_count = 0;
}

void renderer_free_meshes(renderer *r) {
    renderer_forget(r);
    mem_free(r->meshes);
}

static void set_model(const gl_program *p, const float at[3], const float rotation[4]) {
    mat4 m;
    versor q = {rotation[1], rotation[2], rotation[3], rotation[0]};
    glm_quat_mat4(q, m);
    glm_vec3_copy((float *)at, m[3]);
    glUniformMatrix4fv(p->model, 1, GL_FALSE, m[0]);
}

static enum renderer_program body_program(const draw_mesh *item) {
    return item->pattern == PATTERN_PAINT ? PROGRAM_BARE_BODY : PROGRAM_BODY;
}

// On the CPU the look of snow follows when all is drawn, once per pixel: see shade_snow. Only the place at
// rest that bumps of moving snow are bound to is not known then.
static enum renderer_program program_of(const renderer *r, const draw_mesh *item) {
    draw_material material = item->material;
    return material == DRAW_SOFT                             ? PROGRAM_SOFT
           : r->shades && material != DRAW_WATER             ? body_program(item)
           : material == DRAW_SNOW || material == DRAW_FIELD ? PROGRAM_SNOW
           : material == DRAW_COVER                          ? PROGRAM_COVER
           : material == DRAW_WATER                          ? PROGRAM_WATER
                                                             : body_program(item);
}

// See shader_surface.
static float alpha_of(const renderer *r, draw_material material) {
    static const int later[] = {[DRAW_SNOW] = SHADE_SNOW,
                                [DRAW_FIELD] = SHADE_FIELD,
                                [DRAW_COVER] = SHADE_COVER,
                                [DRAW_SOFT] = SHADE_SOFT};
    if (r->shades && (size_t)material < sizeof later / sizeof *later && later[material])
        return (float)later[material] / 255;
    static const float alpha[] = {
        [DRAW_BODY] = 1,       [DRAW_PACKED] = 0.4f, [DRAW_SNOW] = 0.4f,   [DRAW_FIELD] = 0.455f,
        [DRAW_COVER] = 0.455f, [DRAW_SOFT] = 0.48f,  [DRAW_CRUMBS] = 0.2f, [DRAW_MARKED] = 0.35f,
        [DRAW_WATER] = 1,      [DRAW_PLAIN] = 0.9f};
    return alpha[material];
}

static void draw_item(renderer *r, const gl_program *p, const draw_list *list, size_t i) {
    const draw_mesh *item = &list->meshes[i];
    const mesh_buffer *b = find_buffer(r, item, i);
    set_model(p, item->at, item->rotation);
    draw_material material = pattern_shines(item->pattern) ? item->material : DRAW_PACKED;
    if (p->material >= 0) glUniform1f(p->material, alpha_of(r, material));
    if (p->pattern >= 0) glUniform1i(p->pattern, (GLint)item->pattern);
    if (!b->colored) glVertexAttrib3fv(2, item->color); // for all vertices
    if (!b->bound) glVertexAttrib4f(3, 0, 0, 0, 0);
    glBindVertexArray(b->array);
    if (b->indexed)
        glDrawElements(GL_TRIANGLES, b->corners, GL_UNSIGNED_INT, NULL);
    else
        glDrawArrays(GL_TRIANGLES, 0, b->corners);
}

static void draw_with(renderer *r, const draw_list *list, enum renderer_program which) {
    const gl_program *p = &r->program[which];
    if (!p->id) return; // nothing is drawn with it, see program_of
    glUseProgram(p->id);
    if (p->grid >= 0) glUniform1f(p->grid, 0);
    for (size_t i = 0; i < list->mesh_count; i++) {
        draw_material material = list->meshes[i].material;
        bool casts = material != DRAW_PLAIN && material != DRAW_WATER;
        if (which == PROGRAM_SHADOW ? casts : program_of(r, &list->meshes[i]) == which)
            draw_item(r, p, list, i);
    }
}

void renderer_draw_material(renderer *r, const draw_list *list, enum renderer_program which,
                            draw_material material) {
    glUseProgram(r->program[which].id);
    for (size_t i = 0; i < list->mesh_count; i++)
        if (list->meshes[i].material == material) draw_item(r, &r->program[which], list, i);
}

void renderer_shadow_meshes(renderer *r, const draw_list *list) { draw_with(r, list, PROGRAM_SHADOW); }

// Outsides first. Insides, seen only through holes or where triangles are turned the wrong way, are mostly
// hidden by then and cost little. A software OpenGL spends more on the triangles than on pixels: there both
// go at once.
void renderer_draw_meshes(renderer *r, const draw_list *list) {
    if (r->shades) {
        draw_with(r, list, PROGRAM_BARE_BODY);
        draw_with(r, list, PROGRAM_BODY);
        draw_with(r, list, PROGRAM_SOFT);
        return;
    }
    glEnable(GL_CULL_FACE);
    for (int inside = 0; inside < 2; inside++) {
        glCullFace(inside ? GL_FRONT : GL_BACK);
        draw_with(r, list, PROGRAM_BARE_BODY);
        draw_with(r, list, PROGRAM_BODY);
        draw_with(r, list, PROGRAM_SOFT);
        draw_with(r, list, PROGRAM_COVER);
        draw_with(r, list, PROGRAM_SNOW);
    }
    glDisable(GL_CULL_FACE);
}

// The unit disc, rings 1/2 as wide each time.
void renderer_plane_create(renderer *r) {
    float corner[(PLANE_RINGS + 1) * PLANE_SECTORS][3];
    uint16_t index[PLANE_RINGS * PLANE_SECTORS * 6];
    size_t n = 0;
    for (int ring = 0; ring <= PLANE_RINGS; ring++)
        for (int s = 0; s < PLANE_SECTORS; s++) {
            float a = 6.283185307f * (float)s / PLANE_SECTORS,
                  radius = ring ? ldexpf(1, ring - PLANE_RINGS) : 0;
            int at = ring * PLANE_SECTORS + s, next = ring * PLANE_SECTORS + (s + 1) % PLANE_SECTORS;
            glm_vec3_copy((vec3){radius * cosf(a), 0, radius * sinf(a)}, corner[at]);
            if (ring == PLANE_RINGS) continue;
            const int quad[6] = {
                at, next, at + PLANE_SECTORS, next, next + PLANE_SECTORS, at + PLANE_SECTORS};
            for (int k = 0; k < 6; k++) index[n++] = (uint16_t)quad[k];
        }
    glGenVertexArrays(1, &r->plane_array);
    glGenBuffers(2, r->plane_buffer);
    glBindVertexArray(r->plane_array);
    glBindBuffer(GL_ARRAY_BUFFER, r->plane_buffer[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof corner, corner, GL_STATIC_DRAW);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, r->plane_buffer[1]);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof index, index, GL_STATIC_DRAW);
    attribute(0, 0);
}

void renderer_draw_planes(renderer *r, const draw_list *list) {
    const gl_program *p = &r->program[r->shades ? PROGRAM_BARE_PLANE : PROGRAM_PLANE];
    glUseProgram(p->id);
    glBindVertexArray(r->plane_array);
    for (size_t i = 0; i < list->plane_count; i++) {
        const draw_plane *plane = &list->planes[i];
        mat4 m = GLM_MAT4_IDENTITY_INIT;
        vec3 normal, aside, eye_to;
        glm_vec3_normalize_to((float *)plane->normal, normal);
        glm_vec3_cross(normal, fabsf(normal[0]) < 0.9f ? (vec3){1, 0, 0} : (vec3){0, 0, 1}, aside);
        glm_vec3_normalize(aside);
        glm_vec3_sub((float *)list->camera.from, (float *)plane->at, eye_to);
        float height = glm_vec3_dot(eye_to, normal), size = 0.9f * r->scene.view_y[3];
        vec3 across;
        glm_vec3_cross(normal, aside, across);
        for (int k = 0; k < 3; k++) {
            m[0][k] = size * across[k];
            m[1][k] = normal[k];
            m[2][k] = size * aside[k];
            m[3][k] = list->camera.from[k] - height * normal[k];
        }
        glUniformMatrix4fv(p->model, 1, GL_FALSE, m[0]);
        glUniform3fv(p->color, 1, plane->color);
        glUniform1f(p->material, r->shades && plane->grid ? SHADE_GRID / 255.0f : alpha_of(r, DRAW_SNOW));
        if (p->grid >= 0) glUniform1f(p->grid, plane->grid ? 1 : 0);
        glDrawElements(GL_TRIANGLES, PLANE_RINGS * PLANE_SECTORS * 6, GL_UNSIGNED_SHORT, NULL);
    }
}
#endif
