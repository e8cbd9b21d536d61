// Ledgers and time series in the user block of a frame: written behind the block, and read back without HDF5.
#include <string.h>

#include "base/memory.h"
#include "cache/frame.h"

// ---- writing

static uint64_t text_bytes(const frame_content *content) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < content->ledger_count; i++) bytes += strlen(content->ledgers[i].model) + 1;
    for (size_t i = 0; i < content->series_count; i++) {
        const firn_series *s = &content->series[i];
        bytes += strlen(s->panel) + strlen(s->name) + strlen(s->unit) + 3;
    }
    return bytes;
}

size_t frame_block_bytes(const frame_content *content) {
    uint64_t needed = sizeof(frame_block) + content->ledger_count * sizeof(frame_ledger) +
                      content->series_count * sizeof(frame_series) + text_bytes(content);
    size_t bytes = FRAME_SMALLEST_BLOCK;
    while (bytes < needed) bytes *= 2;
    return bytes;
}

// The parts behind a block.
typedef struct summary_parts {
    frame_ledger *ledger;
    frame_series *series;
    char *texts;
} summary_parts;

static summary_parts parts_of(const frame_block *block) {
    summary_parts p;
    p.ledger = (frame_ledger *)(block + 1);
    p.series = (frame_series *)(p.ledger + block->ledgers);
    p.texts = (char *)(p.series + block->series);
    return p;
}

static uint32_t put_text(char *texts, uint64_t *used, const char *words) {
    size_t length = strlen(words) + 1;
    uint32_t at = (uint32_t)*used;
    memcpy(texts + at, words, length);
    *used += length;
    return at;
}

static frame_ledger pack_ledger(const firn_ledger *l, uint32_t model) {
    return (frame_ledger){.model = model,
                          .items = l->items,
                          .steps = l->steps,
                          .mass = l->mass,
                          .mass_in = l->mass_in,
                          .mass_out = l->mass_out,
                          .momentum = {l->momentum.x, l->momentum.y, l->momentum.z},
                          .kinetic = l->kinetic,
                          .potential = l->potential,
                          .heat = l->heat,
                          .max_speed = l->max_speed,
                          .mass_lost = l->mass_lost};
}

static uint32_t ledger_of(const frame_content *content, const char *model) {
    uint32_t i = 0;
    while (i + 1 < content->ledger_count && strcmp(content->ledgers[i].model, model) != 0) i++;
    return i;
}

void frame_pack_summary(const frame_content *content, frame_block *block) {
    block->ledgers = content->ledger_count;
    block->series = content->series_count;
    block->text_bytes = text_bytes(content);
    summary_parts p = parts_of(block);
    uint64_t used = 0;
    for (size_t i = 0; i < content->ledger_count; i++)
        p.ledger[i] = pack_ledger(&content->ledgers[i], put_text(p.texts, &used, content->ledgers[i].model));
    for (size_t i = 0; i < content->series_count; i++) {
        const firn_series *s = &content->series[i];
        p.series[i] = (frame_series){.ledger = ledger_of(content, s->model), .value = s->value};
        p.series[i].panel = put_text(p.texts, &used, s->panel);
        p.series[i].name = put_text(p.texts, &used, s->name);
        p.series[i].unit = put_text(p.texts, &used, s->unit);
    }
}

// ---- reading

bool frame_summary_fits(const frame_block *block) {
    uint64_t room = block->block_bytes - sizeof *block;
    if (block->ledgers > room / sizeof(frame_ledger) || block->series > room / sizeof(frame_series) ||
        block->text_bytes > room)
        return false;
    uint64_t needed = block->ledgers * sizeof(frame_ledger) + block->series * sizeof(frame_series);
    if (needed + block->text_bytes > room) return false;
    summary_parts p = parts_of(block);
    bool ends = block->text_bytes == 0 || p.texts[block->text_bytes - 1] == 0;
    for (uint64_t i = 0; ends && i < block->ledgers; i++) ends = p.ledger[i].model < block->text_bytes;
    for (uint64_t i = 0; ends && i < block->series; i++) {
        const frame_series *s = &p.series[i];
        ends = s->ledger < block->ledgers && s->panel < block->text_bytes && s->name < block->text_bytes &&
               s->unit < block->text_bytes;
    }
    return ends;
}

static firn_ledger unpack_ledger(const frame_ledger *l, const char *texts) {
    return (firn_ledger){.model = texts + l->model,
                         .items = l->items,
                         .steps = l->steps,
                         .mass = l->mass,
                         .mass_in = l->mass_in,
                         .mass_out = l->mass_out,
                         .momentum = {l->momentum[0], l->momentum[1], l->momentum[2]},
                         .kinetic = l->kinetic,
                         .potential = l->potential,
                         .heat = l->heat,
                         .max_speed = l->max_speed,
                         .mass_lost = l->mass_lost};
}

static firn_status unpack(const frame_block *block, cache_summary *out) {
    summary_parts p = parts_of(block);
    char *texts = arena_alloc(&out->memory, block->text_bytes + 1);
    firn_ledger *ledger = arena_alloc(&out->memory, (block->ledgers + 1) * sizeof *ledger);
    firn_series *series = arena_alloc(&out->memory, (block->series + 1) * sizeof *series);
    if (!texts || !ledger || !series) return fail_memory("reading a frame", block->block_bytes);
    memcpy(texts, p.texts, block->text_bytes);
    for (uint64_t i = 0; i < block->ledgers; i++) ledger[i] = unpack_ledger(&p.ledger[i], texts);
    for (uint64_t i = 0; i < block->series; i++) {
        const frame_series *s = &p.series[i];
        series[i] = (firn_series){.model = ledger[s->ledger].model,
                                  .panel = texts + s->panel,
                                  .name = texts + s->name,
                                  .unit = texts + s->unit,
                                  .help = "",
                                  .value = s->value};
    }
    out->clock = (world_clock){.time = block->time, .frame = block->frame, .step = block->step};
    out->scene_hash = block->scene_hash;
    out->state_hash = block->state_hash;
    memcpy(out->isa, block->isa, sizeof out->isa - 1);
    out->ledger = ledger;
    out->ledgers = block->ledgers;
    out->series = series;
    out->series_count = block->series;
    return FIRN_OK;
}

firn_status cache_read_summary_in(const file_folder *folder, const char *name, cache_summary *out) {
    frame_block *block;
    memset(out, 0, sizeof *out);
    TRY(frame_read_summary(folder, name, &block));
    firn_status status = unpack(block, out);
    mem_free(block);
    if (status != FIRN_OK) cache_summary_free(out);
    return status;
}

firn_status cache_read_summary(const char *path, cache_summary *out) {
    return cache_read_summary_in(NULL, path, out);
}

void cache_summary_free(cache_summary *summary) {
    arena_free(&summary->memory);
    memset(summary, 0, sizeof *summary);
}
