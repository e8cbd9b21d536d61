// Writes and reads the file format of frames and checkpoints.
#include "cache/frame.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/isa.h"
#include "base/memory.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the block is written as it stands in memory");

// Like the signature of PNG: a byte that is not text, and line ends that a text-mode transfer would change.
static const char magic[8] = {'\211', 'F', 'I', 'R', 'N', '\r', '\n', '\032'};

static const char *kind_name(cache_kind kind) { return kind == CACHE_FRAME ? "frame" : "checkpoint"; }

static uint64_t block_checksum(frame_block *block) {
    uint64_t kept = block->checksum;
    block->checksum = 0;
    uint64_t sum = hash64(block, block->block_bytes, 0);
    block->checksum = kept;
    return sum;
}

void frame_array_path(const char *field, char out[FRAME_NAME]) {
    snprintf(out, FRAME_NAME, "/fields/%s", field);
    for (char *c = out; *c; c++)
        if (*c == '.') *c = '/';
}

// block: as large as frame_block_bytes says. image: what follows it.
static void fill_block(const frame_content *content, frame_block *block, size_t image, uint64_t checksum) {
    memcpy(block->magic, magic, sizeof magic);
    block->format = FRAME_FORMAT;
    block->kind = content->kind;
    snprintf(block->version, sizeof block->version, "%s", firn_version());
    block->time = content->clock.time;
    block->frame = content->clock.frame;
    block->step = content->clock.step;
    block->scene_hash = content->scene_hash;
    block->state_hash = content->state_hash;
    snprintf(block->isa, sizeof block->isa, "%s", isa_name(isa_active()));
    block->block_bytes = frame_block_bytes(content);
    frame_pack_summary(content, block);
    block->image_bytes = image;
    block->image_checksum = checksum;
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

static bool in_slabs(const frame_content *content, size_t i) {
    return content->world && world_field_in_slabs(content->world, content->number[i]);
}

// offset: by field, of those in slabs.
static void write_fields(h5_writer *w, const frame_content *content, uint64_t *offset) {
    h5_group(w, "/fields");
    for (size_t i = 0; i < content->field_count; i++) {
        const firn_field *f = &content->fields[i];
        char path[FRAME_NAME];
        frame_array_path(f->name, path);
        open_model_group(w, content, i);
        if (in_slabs(content, i))
            h5_hollow(w, path, f->type, f->count, f->components, &offset[i]);
        else
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
        h5_count(w, path, "steps", l->steps);
        h5_real(w, path, "mass", &l->mass, 1);
        h5_real(w, path, "mass_in", &l->mass_in, 1);
        h5_real(w, path, "mass_out", &l->mass_out, 1);
        h5_real(w, path, "momentum", momentum, 3);
        h5_real(w, path, "kinetic", &l->kinetic, 1);
        h5_real(w, path, "potential", &l->potential, 1);
        h5_real(w, path, "heat", &l->heat, 1);
        h5_real(w, path, "max_speed", &l->max_speed, 1);
        h5_real(w, path, "mass_lost", &l->mass_lost, 1);
        for (size_t k = 0; k < content->series_count; k++)
            if (strcmp(content->series[k].model, l->model) == 0) write_series(w, path, &content->series[k]);
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

static firn_status check_content(const frame_content *content, size_t *expected) {
    *expected = 0;
    if (frame_block_bytes(content) > FRAME_LARGEST_BLOCK)
        return fail(FIRN_UNSUPPORTED, "the models report too many time series for a frame (%zu)",
                    content->series_count);
    for (size_t i = 0; i < content->field_count; i++) {
        const firn_field *f = &content->fields[i];
        if (strlen(f->name) + sizeof "/fields/" > FRAME_NAME)
            return fail(FIRN_UNSUPPORTED, "a field's name is too long: '%s'", f->name);
        *expected += f->count * f->components * type_bytes(f->type);
    }
    return FIRN_OK;
}

static void write_content(h5_writer *w, const frame_content *content, uint64_t *offset) {
    write_head(w, content);
    write_fields(w, content, offset);
    write_ledgers(w, content);
    write_names(w, content);
}

firn_status frame_encode(const frame_content *content, bool compress, char **file, size_t *bytes) {
    *file = NULL;
    *bytes = 0;
    size_t expected, block = frame_block_bytes(content);
    TRY(check_content(content, &expected));
    h5_writer w;
    TRY(h5_create(&w, block, compress, compress ? expected / 2 : expected));
    write_content(&w, content, NULL);
    TRY(h5_take(&w, file, bytes));
    size_t image = *bytes - block;
    fill_block(content, (frame_block *)*file, image, hash64(*file + block, image, 0));
    return FIRN_OK;
}

// ---- into a file, without room for all

typedef struct frame_stream {
    file_stream *to;
    uint64_t at; // in the file
    hash_stream checksum;
    firn_status status; // after a failure nothing more is written
} frame_stream;

static void stream_add(void *context, const void *data, size_t bytes) {
    frame_stream *f = context;
    hash_add(&f->checksum, data, bytes);
    if (f->status == FIRN_OK) f->status = file_stream_write(f->to, f->at, data, bytes);
    f->at += bytes;
}

// What stands between the arrays in slabs.
static void stream_up_to(frame_stream *f, int hollow, uint64_t end) {
    char part[4096];
    while (f->status == FIRN_OK && f->at < end) {
        size_t bytes = end - f->at < sizeof part ? (size_t)(end - f->at) : sizeof part;
        ssize_t got = pread(hollow, part, bytes, (off_t)f->at);
        if (got == (ssize_t)bytes)
            stream_add(f, part, bytes);
        else
            f->status = fail(FIRN_IO, "a frame cannot be composed: its draft cannot be read");
    }
}

// HDF5 places arrays one after the other, in the order in which they were made.
static firn_status stream_content(const frame_content *content, int hollow, size_t end,
                                  const uint64_t *offset, file_stream *to) {
    size_t room = frame_block_bytes(content);
    frame_stream f = {.to = to, .at = room};
    frame_block *block = mem_zero(room, 1);
    if (!block) f.status = fail_memory("writing a frame", room);
    hash_begin(&f.checksum, 0);
    for (size_t i = 0; i < content->field_count; i++) {
        if (!in_slabs(content, i) || content->fields[i].count == 0) continue;
        stream_up_to(&f, hollow, offset[i]);
        world_field_pieces(content->world, content->number[i], stream_add, &f); // also after a failure
    }
    stream_up_to(&f, hollow, end);
    if (f.status == FIRN_OK) {
        fill_block(content, block, end - room, hash_end(&f.checksum));
        f.status = file_stream_write(to, 0, block, room);
    }
    mem_free(block);
    return f.status;
}

firn_status frame_write(const frame_content *content, const file_folder *folder, const char *name) {
    h5_writer w;
    int hollow;
    size_t expected, bytes;
    TRY(check_content(content, &expected));
    uint64_t *offset = mem_zero(content->field_count + 1, sizeof *offset);
    if (!offset) return fail_memory("writing a frame", content->field_count * sizeof *offset);
    file_stream *to = NULL;
    firn_status status = h5_create_hollow(&w, frame_block_bytes(content), &hollow);
    if (status == FIRN_OK) {
        write_content(&w, content, offset);
        status = h5_take_hollow(&w, hollow, &bytes);
        if (status == FIRN_OK) status = file_stream_open_in(folder, name, &to);
        if (status == FIRN_OK) {
            status = stream_content(content, hollow, bytes, offset, to);
            if (status == FIRN_OK)
                status = file_stream_finish(to);
            else
                file_stream_abandon(to);
        }
        close(hollow);
    }
    mem_free(offset);
    return status;
}

// Detects a file that was renamed to the number of another frame. Names that are not numbers are not checked.
static firn_status check_number(const frame_block *block, const char *name) {
    bool frame = block->kind == CACHE_FRAME;
    uint64_t number = frame ? block->frame : block->step;
    const char *slash = strrchr(name, '/'), *file = slash ? slash + 1 : name;
    size_t digits = strspn(file, "0123456789");
    char expected[32];
    snprintf(expected, sizeof expected, "%0*llu.h5", frame ? FRAME_DIGITS : STEP_DIGITS,
             (unsigned long long)number);
    if (digits == 0 || strcmp(file + digits, ".h5") != 0 || strcmp(file, expected) == 0) return FIRN_OK;
    return fail(FIRN_BAD_INPUT, "'%s' does not match its name: it holds %s %llu", name,
                frame ? "frame" : "the checkpoint of step", (unsigned long long)number);
}

// Before the rest of the block is looked at or read.
static firn_status check_head(const frame_block *block, const char *name, uint64_t bytes) {
    if (memcmp(block->magic, magic, sizeof magic) != 0)
        return fail(FIRN_BAD_INPUT, "'%s' is not a firn frame or checkpoint", name);
    if (block->format != FRAME_FORMAT)
        return fail(FIRN_BAD_INPUT, "'%s' is in format %u; this version of firn reads format %d", name,
                    block->format, FRAME_FORMAT);
    uint64_t size = block->block_bytes;
    if (size < FRAME_SMALLEST_BLOCK || size > FRAME_LARGEST_BLOCK || (size & (size - 1)) != 0)
        return fail(FIRN_BAD_INPUT, "'%s' is damaged: its header has the wrong checksum", name);
    if (size > bytes)
        return fail(FIRN_BAD_INPUT, "'%s' is damaged: it has only %llu bytes", name,
                    (unsigned long long)bytes);
    return FIRN_OK;
}

// The whole block is there.
static firn_status check_block(frame_block *block, const char *name, uint64_t bytes) {
    if (block->checksum != block_checksum(block) || !frame_summary_fits(block))
        return fail(FIRN_BAD_INPUT, "'%s' is damaged: its header has the wrong checksum", name);
    if (bytes != block->block_bytes + block->image_bytes)
        return fail(FIRN_BAD_INPUT, "'%s' is damaged: it has %llu bytes instead of %llu", name,
                    (unsigned long long)bytes, (unsigned long long)(block->block_bytes + block->image_bytes));
    return check_number(block, name);
}

firn_status frame_verify(const char *data, size_t bytes, const char *name, cache_kind kind,
                         frame_block *block) {
    if (bytes < sizeof *block)
        return fail(FIRN_BAD_INPUT, "'%s' is too short for a firn frame or checkpoint", name);
    memcpy(block, data, sizeof *block);
    TRY(check_head(block, name, bytes));
    frame_block *whole = mem_alloc(block->block_bytes); // data of a program may not be aligned
    if (!whole) return fail_memory("reading a frame", block->block_bytes);
    memcpy(whole, data, block->block_bytes);
    firn_status status = check_block(whole, name, bytes);
    mem_free(whole);
    TRY(status);
    if (block->kind != (uint32_t)kind) return fail(FIRN_BAD_INPUT, "'%s' is not a %s", name, kind_name(kind));
    const char *image = data + block->block_bytes;
    if (block->image_checksum != hash64(image, block->image_bytes, 0))
        return fail(FIRN_BAD_INPUT, "'%s' is damaged: its data has the wrong checksum", name);
    return FIRN_OK;
}

// A file has at least the smallest block; most have no larger one.
static firn_status read_block(int file, const char *path, uint64_t bytes, frame_block **out) {
    size_t got, room = FRAME_SMALLEST_BLOCK;
    frame_block *block = mem_alloc(room);
    if (!block) return fail_memory("reading a frame", room);
    *out = block;
    TRY(file_read_some(file, path, (char *)block, room, &got));
    if (got != room) return fail(FIRN_BAD_INPUT, "'%s' is too short for a firn frame or checkpoint", path);
    TRY(check_head(block, path, bytes));
    if (block->block_bytes > room) {
        frame_block *larger = mem_alloc(block->block_bytes);
        if (!larger) return fail_memory("reading a frame", block->block_bytes);
        memcpy(larger, block, room);
        mem_free(block);
        *out = block = larger;
        TRY(file_read_some(file, path, (char *)block + room, block->block_bytes - room, &got));
        if (got != block->block_bytes - room) return fail(FIRN_BAD_INPUT, "'%s' is damaged", path);
    }
    return check_block(block, path, bytes);
}

firn_status frame_read_summary(const file_folder *folder, const char *name, frame_block **block) {
    char room[PATH_ROOM];
    int file;
    uint64_t bytes;
    *block = NULL;
    TRY(file_open_in(folder, name, &file, &bytes));
    firn_status status = read_block(file, file_shown(folder, name, room), bytes, block);
    close(file);
    if (status == FIRN_OK) return status;
    mem_free(*block);
    *block = NULL;
    return status;
}

firn_status frame_read_block(const file_folder *folder, const char *name, frame_block *block) {
    frame_block *whole;
    memset(block, 0, sizeof *block);
    TRY(frame_read_summary(folder, name, &whole));
    *block = *whole;
    mem_free(whole);
    return FIRN_OK;
}

// Piece by piece: files may be larger than the memory of a rank.
static firn_status verify_image(int file, const char *path, const frame_block *block) {
    enum { PIECE = 1 << 20 };
    char *piece = mem_alloc(PIECE);
    if (!piece) return fail_memory("reading a frame", PIECE);
    hash_stream checksum;
    hash_begin(&checksum, 0);
    uint64_t left = block->image_bytes;
    firn_status status = FIRN_OK;
    if (lseek(file, (off_t)block->block_bytes, SEEK_SET) < 0)
        status = fail(FIRN_IO, "cannot read '%s'", path);
    while (left > 0 && status == FIRN_OK) {
        size_t got, bytes = left < PIECE ? (size_t)left : PIECE;
        status = file_read_some(file, path, piece, bytes, &got);
        if (status == FIRN_OK && got != bytes) break;
        if (status == FIRN_OK) hash_add(&checksum, piece, bytes);
        left -= bytes;
    }
    mem_free(piece);
    TRY(status);
    if (left > 0 || hash_end(&checksum) != block->image_checksum)
        return fail(FIRN_BAD_INPUT, "'%s' is damaged: its data has the wrong checksum", path);
    return FIRN_OK;
}

firn_status frame_verify_file(const file_folder *folder, const char *name, cache_kind kind,
                              frame_block *block) {
    char room[PATH_ROOM];
    const char *path = file_shown(folder, name, room);
    int file;
    uint64_t bytes;
    frame_block *whole = NULL;
    memset(block, 0, sizeof *block);
    TRY(file_open_in(folder, name, &file, &bytes));
    firn_status status = read_block(file, path, bytes, &whole);
    if (status == FIRN_OK) *block = *whole;
    mem_free(whole);
    if (status == FIRN_OK && block->kind != (uint32_t)kind)
        status = fail(FIRN_BAD_INPUT, "'%s' is not a %s", path, kind_name(kind));
    if (status == FIRN_OK) status = verify_image(file, path, block);
    close(file);
    return status;
}
