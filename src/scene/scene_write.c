// The effective scene: every value of every table, in units people read, so that it reads back to the same
// bits.
#include <string.h>

#include "geom/asset.h"
#include "scene/quote.h"
#include "scene/scene.h"

typedef struct writer {
    text out;
    int indent;
    bool dash;     // the next key stands behind the "- " of a list
    bool comments; // what a key means; said once per table of a map
    const scene *scene;
    const param_files *kept; // NULL: files by their absolute names
} writer;

enum { COMMENT_COLUMN = 36 };

static void indent(writer *w) {
    for (int i = 0; i < w->indent - (w->dash ? 1 : 0); i++) text_add(&w->out, "  ");
    if (w->dash) text_add(&w->out, "- ");
    w->dash = false;
}

static void add_name(text *t, const char *name) {
    bool ascii = true;
    for (const char *c = name; *c; c++) ascii = ascii && (unsigned char)*c < 0x80;
    if (ascii)
        text_add(t, "%s", name);
    else
        quote_add(t, name);
}

static void add_file(writer *w, const char *path) {
    text name = {0};
    char folder[17];
    for (size_t i = 0; w->kept && i < w->kept->count; i++) {
        if (strcmp(w->kept->items[i].path, path) != 0) continue;
        const char *slash = strrchr(path, '/');
        asset_folder(w->kept->items[i].hash, folder);
        text_add(&name, SCENE_ASSETS "/%s/%s", folder, slash ? slash + 1 : path);
        break;
    }
    w->out.failed |= name.failed;
    quote_add(&w->out, name.data ? name.data : path);
    text_free(&name);
}

static void add_scalar(writer *w, const param_row *row, const char *at) {
    switch (row->type) {
    case PARAM_TEXT: quote_add(&w->out, *(const char *const *)at); break;
    case PARAM_FILE: add_file(w, *(const char *const *)at); break;
    default: param_write_value(&w->out, row, at); break;
    }
}

static void end_line(writer *w, size_t start, const char *help) {
    if (w->comments && help) {
        size_t width = w->out.length - start;
        text_add(&w->out, "%*s# %s", width < COMMENT_COLUMN ? (int)(COMMENT_COLUMN - width) : 2, "", help);
    }
    text_add(&w->out, "\n");
}

// "key:" on a line of its own; what belongs to it follows, one step further in.
static void open_key(writer *w, const char *name, const char *help) {
    size_t start = w->out.length;
    indent(w);
    add_name(&w->out, name);
    text_add(&w->out, ":");
    end_line(w, start, help);
    w->indent++;
}

static void write_table(writer *w, const param_table *table, const char *item);

static void write_items(writer *w, const param_row *row, const char *at, const char *key) {
    struct {
        const char *items;
        size_t count;
    } array;
    memcpy(&array, at, sizeof array);
    if (!array.count) return;
    open_key(w, key, row->help);
    bool comments = w->comments;
    for (size_t i = 0; i < array.count; i++) {
        const char *item = array.items + i * row->table->size;
        if (row->type == PARAM_MAP)
            open_key(w, *(const char *const *)item, NULL);
        else
            w->dash = true, w->indent++;
        write_table(w, row->table, item);
        w->indent--;
        w->comments = false;
    }
    w->comments = comments;
    w->indent--;
}

static void write_variant(writer *w, const param_row *row, const char *at) {
    const param_variant *variant = param_variant_of(row, at);
    if (!variant->table) {
        size_t start = w->out.length;
        indent(w);
        text_add(&w->out, "%s: %s", row->name, variant->name);
        end_line(w, start, row->help);
    } else if (variant->list) {
        write_items(w, variant->table->rows, at + variant->table->rows->offset, row->name);
    } else {
        open_key(w, row->name, row->help);
        open_key(w, variant->name, variant->help);
        write_table(w, variant->table, at);
        w->indent -= 2;
    }
}

static void write_below(writer *w, const param_row *row, const char *item) {
    if (!item) return;
    open_key(w, row->name, row->help);
    write_table(w, row->table, item);
    w->indent--;
}

static void write_value(writer *w, const param_row *row, const char *at) {
    bool words = row->type == PARAM_TEXT || row->type == PARAM_FILE || row->type == PARAM_WORD;
    if (words && !*(const char *const *)at) return;
    size_t start = w->out.length;
    indent(w);
    text_add(&w->out, "%s: ", row->name);
    add_scalar(w, row, at);
    end_line(w, start, row->help);
}

static void write_keyframes(writer *w, const param_row *row, const firn_track_def *track) {
    open_key(w, row->name, row->help);
    for (size_t i = 0; i < track->keys.count; i++) {
        const firn_key_value *key = &track->keys.items[i];
        indent(w);
        text_add(&w->out, "- {time: ");
        quantity_write(&w->out, key->time, DIM_TIME);
        text_add(&w->out, ", value: ");
        firn_vec3 value; // or a smaller type
        param_set_number(row, &value, key->value);
        param_write_value(&w->out, row, &value);
        text_add(&w->out, "}\n");
    }
    w->indent--;
}

static const firn_track_def *track_of(const writer *w, const char *at) {
    for (size_t i = 0; i < w->scene->def.world.tracks.count; i++)
        if (w->scene->track_at[i] == at) return &w->scene->def.world.tracks.items[i];
    return NULL;
}

static void write_row(writer *w, const param_row *row, const char *at) {
    const firn_track_def *track = row->live ? track_of(w, at) : NULL;
    if (track) {
        write_keyframes(w, row, track);
        return;
    }
    switch (row->type) {
    case PARAM_MERGE: write_table(w, row->table, at); break;
    case PARAM_TABLE: write_below(w, row, at); break;
    case PARAM_OPTIONAL: write_below(w, row, *(const char *const *)at); break;
    case PARAM_LIST:
    case PARAM_MAP: write_items(w, row, at, row->name); break;
    case PARAM_VARIANT: write_variant(w, row, at); break;
    default: write_value(w, row, at); break;
    }
}

static void write_table(writer *w, const param_table *table, const char *item) {
    for (const param_row *row = table->rows; row->name; row++) write_row(w, row, item + row->offset);
}

static firn_status write_scene(const scene *s, const param_files *kept, char **out) {
    writer w = {.comments = true, .scene = s, .kept = kept};
    text_add(&w.out,
             "# The whole scene with every default filled in, written by firn %s. It can be run again.\n",
             firn_version());
    write_table(&w, &scene_params, (const char *)&s->def);
    return text_take(&w.out, out);
}

firn_status scene_write(const scene *s, char **out) { return write_scene(s, NULL, out); }

firn_status scene_write_kept(const scene *s, char **out) { return write_scene(s, &s->files, out); }
