#include "cache/frame.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/isa.h"
#include "base/memory.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the block is written as it stands in memory");

// Starts as PNG does: a byte that is no text, and line ends that a careless transfer would change.
static const char magic[8] = {'\211', 'F', 'I', 'R', 'N', '\r', '\n', '\032'};

static const char *kind_name(cache_kind kind) { return kind == CACHE_FRAME ? "frame" : "checkpoint"; }

static uint64_t block_checksum(const frame_block *block) {
    frame_block copy = *block;
    copy.checksum = 0;
    return hash64(&copy, sizeof copy, 0);
}

void frame_array_path(const char *field, char out[FRAME_NAME]) {
    snprintf(out, FRAME_NAME, "/fields/%s", field);
    for (char *c = out; *c; c++)
        if (*c == '.') *c = '/';
}

static frame_ledger pack_ledger(const firn_ledger *l) {
    frame_ledger packed = {.items = l->items,
                           .mass = l->mass,
                           .mass_in = l->mass_in,
                           .mass_out = l->mass_out,
                           .momentum = {l->momentum.x, l->momentum.y, l->momentum.z},
                           .kinetic = l->kinetic,
                           .potential = l->potential,
                           .heat = l->heat,
                           .max_speed = l->max_speed,
                           .mass_lost = l->mass_lost,
                           .inside = (double)l->inside,
                           .depth = l->depth,
                           .residual_before = l->residual_before,
                           .residual = l->residual};
    snprintf(packed.model, sizeof packed.model, "%s", l->model);
    return packed;
}

// Numbers of the models' own; frame_encode has counted them.
static void pack_series(const frame_content *content, frame_block *block) {
    for (size_t i = 0; i < content->ledger_count; i++)
        for (size_t k = 0; k < content->ledgers[i].series_count; k++) {
            const firn_series *from = &content->ledgers[i].series[k];
            frame_series *to = &block->one[block->series++];
            memcpy(to->panel, from->panel, sizeof to->panel);
            memcpy(to->name, from->name, sizeof to->name);
            memcpy(to->unit, from->unit, sizeof to->unit);
            to->ledger = (uint32_t)i;
            to->value = from->value;
        }
}

static void fill_block(const frame_content *content, char *file, size_t bytes) {
    frame_block *block = (frame_block *)file;
    memcpy(block->magic, magic, sizeof magic);
    block->format = FRAME_FORMAT;
    block->kind = content->kind;
    snprintf(block->version, sizeof block->version, "%s", firn_version());
    block->time = content->clock.time;
    block->frame = content->clock.frame;
    block->step = content->clock.step;
    block->scene_hash = content->scene_hash;
    block->state_hash = content->state_hash;
    block->ledgers = content->ledger_count;
    for (size_t i = 0; i < content->ledger_count; i++) block->ledger[i] = pack_ledger(&content->ledgers[i]);
    pack_series(content, block);
    snprintf(block->isa, sizeof block->isa, "%s", isa_name(isa_active()));
    block->image_bytes = bytes - sizeof *block;
    block->image_checksum = hash64(file + sizeof *block, bytes - sizeof *block, 0);
    block->checksum = block_checksum(block);
}

static void write_head(h5_writer *w, const frame_content *content) {
    char hash[20];
    h5_text(w, "/", "firn", firn_version());
    h5_text(w, "/", "isa", isa_name(isa_active()));
    h5_text(w, "/", "kind", kind_name(content->kind));
    h5_real(w, "/", "time", &content->clock.time, 1);
    h5_count(w, "/", "frame", content->clock.frame);
    h5_count(w, "/", "step", content->clock.step);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)content->scene_hash);
    h5_text(w, "/", "scene_hash", hash);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)content->state_hash);
    h5_text(w, "/", "state_hash", hash);
}

// The group of a field's model, made when its first field comes.
static void open_model_group(h5_writer *w, const frame_content *content, size_t i) {
    const char *name = content->fields[i].name;
    size_t prefix = strcspn(name, ".");
    for (size_t j = 0; j < i; j++)
        if (strncmp(content->fields[j].name, name, prefix + 1) == 0) return;
    char path[FRAME_NAME];
    snprintf(path, sizeof path, "/fields/%.*s", (int)prefix, name);
    h5_group(w, path);
}

static void write_fields(h5_writer *w, const frame_content *content) {
    h5_group(w, "/fields");
    for (size_t i = 0; i < content->field_count; i++) {
        const firn_field *f = &content->fields[i];
        char path[FRAME_NAME];
        frame_array_path(f->name, path);
        open_model_group(w, content, i);
        h5_array(w, path, f->type, f->count, f->components, f->data);
        h5_text(w, path, "unit", f->unit ? f->unit : "");
        h5_text(w, path, "help", f->help ? f->help : "");
    }
}

// "number of particles: snow"
static void write_series(h5_writer *w, const char *path, const firn_series *s) {
    char name[FRAME_NAME];
    snprintf(name, sizeof name, s->name[0] ? "%s: %s" : "%s", s->panel, s->name);
    h5_real(w, path, name, &s->value, 1);
}

static void write_ledgers(h5_writer *w, const frame_content *content) {
    h5_group(w, "/ledgers");
    for (size_t i = 0; i < content->ledger_count; i++) {
        const firn_ledger *l = &content->ledgers[i];
        const double momentum[3] = {l->momentum.x, l->momentum.y, l->momentum.z};
        char path[FRAME_NAME];
        snprintf(path, sizeof path, "/ledgers/%s", l->model);
        h5_group(w, path);
        h5_count(w, path, "items", l->items);
        h5_real(w, path, "mass", &l->mass, 1);
        h5_real(w, path, "mass_in", &l->mass_in, 1);
        h5_real(w, path, "mass_out", &l->mass_out, 1);
        h5_real(w, path, "momentum", momentum, 3);
        h5_real(w, path, "kinetic", &l->kinetic, 1);
        h5_real(w, path, "potential", &l->potential, 1);
        h5_real(w, path, "heat", &l->heat, 1);
        h5_real(w, path, "max_speed", &l->max_speed, 1);
        h5_real(w, path, "mass_lost", &l->mass_lost, 1);
        h5_count(w, path, "inside", l->inside);
        h5_real(w, path, "depth", &l->depth, 1);
        h5_real(w, path, "residual_before", &l->residual_before, 1);
        h5_real(w, path, "residual", &l->residual, 1);
        for (size_t k = 0; k < l->series_count; k++) write_series(w, path, &l->series[k]);
    }
}

static void write_names(h5_writer *w, const frame_content *content) {
    size_t width = 1;
    for (size_t i = 0; i < content->body_count; i++) {
        size_t length = strlen(content->bodies[i]);
        if (length > width) width = length;
    }
    h5_group(w, "/names");
    h5_texts(w, "/names/bodies", content->bodies, content->body_count, width);
}

firn_status frame_encode(const frame_content *content, bool compress, char **file, size_t *bytes) {
    *file = NULL;
    *bytes = 0;
    if (content->ledger_count > CACHE_LEDGERS)
        return fail(FIRN_UNSUPPORTED, "a frame holds at most %d ledgers", CACHE_LEDGERS);
    size_t expected = 0, series = 0;
    for (size_t i = 0; i < content->ledger_count; i++) series += content->ledgers[i].series_count;
    if (series > CACHE_SERIES)
        return fail(FIRN_UNSUPPORTED,
                    "the models keep %zu numbers in their ledgers; a frame holds at most %d", series,
                    CACHE_SERIES);
    for (size_t i = 0; i < content->field_count; i++) {
        const firn_field *f = &content->fields[i];
        if (strlen(f->name) + sizeof "/fields/" > FRAME_NAME)
            return fail(FIRN_UNSUPPORTED, "a field's name is too long: '%s'", f->name);
        expected += f->count * f->components * type_bytes(f->type);
    }
    h5_writer w;
    TRY(h5_create(&w, true, compress, compress ? expected / 2 : expected));
    write_head(&w, content);
    write_fields(&w, content);
    write_ledgers(&w, content);
    write_names(&w, content);
    TRY(h5_take(&w, file, bytes));
    fill_block(content, *file, *bytes);
    return FIRN_OK;
}

// A file that was copied or renamed to another moment's number. Names that are no number say nothing.
static firn_status check_number(const frame_block *block, const char *name) {
    bool frame = block->kind == CACHE_FRAME;
    uint64_t number = frame ? block->frame : block->step;
    const char *slash = strrchr(name, '/'), *file = slash ? slash + 1 : name;
    size_t digits = strspn(file, "0123456789");
    char expected[32];
    snprintf(expected, sizeof expected, "%0*llu.h5", frame ? FRAME_DIGITS : STEP_DIGITS,
             (unsigned long long)number);
    if (digits == 0 || strcmp(file + digits, ".h5") != 0 || strcmp(file, expected) == 0) return FIRN_OK;
    return fail(FIRN_BAD_INPUT, "'%s' is not what its name says: it holds %s %llu", name,
                frame ? "frame" : "the checkpoint of step", (unsigned long long)number);
}

static firn_status check_block(const frame_block *block, const char *name, uint64_t bytes) {
    if (memcmp(block->magic, magic, sizeof magic) != 0)
        return fail(FIRN_BAD_INPUT, "'%s' is not a frame or checkpoint of firn's", name);
    if (block->format != FRAME_FORMAT)
        return fail(FIRN_BAD_INPUT, "'%s' is in format %u; this version of firn reads format %d", name,
                    block->format, FRAME_FORMAT);
    if (block->checksum != block_checksum(block) || block->ledgers > CACHE_LEDGERS ||
        block->series > CACHE_SERIES)
        return fail(FIRN_BAD_INPUT, "'%s' is damaged: its header has the wrong checksum", name);
    if (bytes != sizeof *block + block->image_bytes)
        return fail(FIRN_BAD_INPUT, "'%s' is damaged: it has %llu bytes instead of %llu", name,
                    (unsigned long long)bytes, (unsigned long long)(sizeof *block + block->image_bytes));
    return check_number(block, name);
}

firn_status frame_verify(const char *data, size_t bytes, const char *name, cache_kind kind,
                         frame_block *block) {
    if (bytes < sizeof *block)
        return fail(FIRN_BAD_INPUT, "'%s' is too short for a frame or checkpoint of firn's", name);
    memcpy(block, data, sizeof *block);
    TRY(check_block(block, name, bytes));
    if (block->kind != (uint32_t)kind) return fail(FIRN_BAD_INPUT, "'%s' is not a %s", name, kind_name(kind));
    if (block->image_checksum != hash64(data + sizeof *block, bytes - sizeof *block, 0))
        return fail(FIRN_BAD_INPUT, "'%s' is damaged: its data has the wrong checksum", name);
    return FIRN_OK;
}

firn_status frame_read_block(const file_folder *folder, const char *name, frame_block *block) {
    char room[PATH_ROOM];
    int file;
    uint64_t bytes;
    size_t got;
    memset(block, 0, sizeof *block);
    TRY(file_open_in(folder, name, &file, &bytes));
    const char *path = file_shown(folder, name, room);
    firn_status status = file_read_some(file, path, (char *)block, sizeof *block, &got);
    close(file);
    TRY(status);
    if (got != sizeof *block)
        return fail(FIRN_BAD_INPUT, "'%s' is too short for a frame or checkpoint of firn's", path);
    return check_block(block, path, bytes);
}

firn_status frame_verify_file(const file_folder *folder, const char *name, cache_kind kind,
                              frame_block *block) {
    char *data, room[PATH_ROOM];
    size_t bytes;
    TRY(frame_read_block(folder, name, block)); // before gigabytes are read for nothing
    TRY(file_read_in(folder, name, CACHE_LARGEST_FILE, &data, &bytes));
    firn_status status = frame_verify(data, bytes, file_shown(folder, name, room), kind, block);
    mem_free(data);
    return status;
}

static void unpack_series(const frame_block *block, cache_summary *out) {
    for (size_t i = 0; i < block->series; i++) {
        const frame_series *from = &block->one[i];
        firn_ledger *l = from->ledger < out->ledgers ? &out->ledger[from->ledger] : NULL;
        if (!l || l->series_count == FIRN_SERIES) continue;
        firn_series *to = &l->series[l->series_count++];
        memcpy(to->panel, from->panel, sizeof to->panel - 1);
        memcpy(to->name, from->name, sizeof to->name - 1);
        memcpy(to->unit, from->unit, sizeof to->unit - 1);
        to->value = from->value;
    }
}

static void unpack(const frame_block *block, cache_summary *out) {
    out->clock = (world_clock){.time = block->time, .frame = block->frame, .step = block->step};
    out->scene_hash = block->scene_hash;
    out->state_hash = block->state_hash;
    memcpy(out->isa, block->isa, sizeof out->isa - 1);
    out->ledgers = (size_t)block->ledgers;
    for (size_t i = 0; i < out->ledgers; i++) {
        const frame_ledger *l = &block->ledger[i];
        memcpy(out->model[i], l->model, CACHE_MODEL_NAME - 1);
        out->ledger[i] = (firn_ledger){.model = out->model[i],
                                       .items = l->items,
                                       .mass = l->mass,
                                       .mass_in = l->mass_in,
                                       .mass_out = l->mass_out,
                                       .momentum = {l->momentum[0], l->momentum[1], l->momentum[2]},
                                       .kinetic = l->kinetic,
                                       .potential = l->potential,
                                       .heat = l->heat,
                                       .max_speed = l->max_speed,
                                       .mass_lost = l->mass_lost,
                                       .inside = (uint64_t)l->inside,
                                       .depth = l->depth,
                                       .residual_before = l->residual_before,
                                       .residual = l->residual};
    }
    unpack_series(block, out);
}

firn_status cache_read_summary_in(const file_folder *folder, const char *name, cache_summary *out) {
    frame_block block;
    memset(out, 0, sizeof *out);
    TRY(frame_read_block(folder, name, &block));
    unpack(&block, out);
    return FIRN_OK;
}

firn_status cache_read_summary(const char *path, cache_summary *out) {
    return cache_read_summary_in(NULL, path, out);
}
