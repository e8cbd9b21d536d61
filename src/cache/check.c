// `firn check`: errors, warnings and the cost of a run.
#include <string.h>

#include "base/file.h"
#include "base/machine.h"
#include "cache/measure.h"
#include "cache/render_cost.h"
#include "scene/meetings.h"
#include "scene/build.h"
#include "scene/load.h"
#include "scene/locate.h"
#include "scene/warn.h"
#include "scene/warn_melt.h"

static const char *keep(arena *memory, const char *words) {
    return words ? arena_text(memory, words, strlen(words)) : "";
}

static firn_message message_of(arena *memory, const problem *p) {
    bool override = p->at.source->override;
    return (firn_message){.warning = p->warning,
                          .file = keep(memory, p->at.source->name),
                          .line = override ? 0 : p->at.line,
                          .column = override ? 0 : p->at.column,
                          .text = keep(memory, p->why),
                          .hint = keep(memory, p->hint)};
}

// problems NULL: the scene could not be read, and only the last error is known.
static firn_status fill_messages(firn_check *check, arena *memory, problem_list *problems) {
    text report = {0};
    size_t count = problems && problems->count ? problems->count : 0;
    firn_message *list = arena_alloc(memory, (count + 1) * sizeof *list);
    firn_status status = list ? FIRN_OK : fail_memory("checking a scene", count * sizeof *list);
    if (count && status == FIRN_OK) status = problem_report(problems, &report); // sorts them, too
    for (size_t i = 0; i < count && status == FIRN_OK; i++) list[i] = message_of(memory, &problems->items[i]);
    check->errors = count ? problems->found : 0;
    check->warnings = count ? problems->warned : 0;
    check->messages = list;
    check->count = count;
    check->report = report.data ? keep(memory, report.data) : "";
    if (report.failed || !check->report) status = fail_memory("checking a scene", 0);
    text_free(&report);
    return status;
}

static firn_status add_last_error(firn_check *check, arena *memory) {
    firn_message *one = arena_alloc(memory, sizeof *one);
    if (!one) return fail_memory("checking a scene", sizeof *one);
    *one = (firn_message){.file = "", .text = keep(memory, firn_last_error()), .hint = ""};
    check->messages = one;
    check->count = check->errors = 1;
    check->report = one->text;
    return one->text ? FIRN_OK : fail_memory("checking a scene", 0);
}

// Disk is compared where the run will probably go; where it does go, it is compared again.
static void compare_disk(const scene *s, const firn_check *check) {
    if (check->cost.disk <= check->disk_free) return;
    problem_warn(&s->loader->problems, locate_place(s, ""), NULL,
                 "a run will write about %.3g GB, but only %.3g GB are free in the current folder",
                 1e-9 * (double)check->cost.disk, 1e-9 * (double)check->disk_free);
}

// What is told beside errors and warnings.
typedef struct remarks {
    text notes, meetings;
} remarks;

static firn_status keep_remarks(arena *memory, remarks *all, firn_check *check) {
    check->notes = keep(memory, all->notes.data);
    check->meetings = keep(memory, all->meetings.data);
    bool failed = all->notes.failed || all->meetings.failed || !check->notes || !check->meetings;
    text_free(&all->notes);
    text_free(&all->meetings);
    return failed ? fail_memory("checking a scene", 0) : FIRN_OK;
}

static firn_status check_world(scene *s, uint64_t frames, firn_check *check, text *notes) {
    firn_world *world;
    build_cost built = build_cost_begin();
    TRY(scene_build(s, &check->cost, &world));
    build_cost_end(&built);
    firn_status status = scene_warn(s, world, notes);
    if (status == FIRN_OK) status = scene_note_melting(s, world, notes);
    if (status == FIRN_OK) status = measure_run(s, world, frames, &built, &check->cost);
    if (status == FIRN_UNSTABLE) {
        problem_warn(&s->loader->problems, locate_place(s, ""), NULL, "the first steps fail: %s",
                     firn_last_error());
        status = FIRN_OK;
    }
    firn_world_close(world);
    check->cost.render_seconds = render_cost(&s->def, &check->cost);
    if (status == FIRN_OK) compare_disk(s, check);
    return status;
}

firn_status firn_scene_check(const char *path, firn_overrides overrides, uint64_t frames, firn_check *check) {
    NEED(check);
    *check = (firn_check){.report = "", .notes = "", .meetings = ""};
    arena *memory = mem_zero(1, sizeof *memory);
    if (!memory) return fail_memory("checking a scene", sizeof *memory);
    check->memory = memory;
    machine_memory machine = machine_memory_now();
    check->memory_limit = machine.limit;
    check->memory_available = machine.available;
    check->disk_free = file_free_space(".");
    scene *s;
    remarks all = {0};
    firn_status status = scene_try(path, overrides, &s);
    if (status == FIRN_OK) scene_meetings(&s->def.world, &all.meetings);
    if (status == FIRN_OK) status = check_world(s, frames, check, &all.notes);
    if (status != FIRN_OK) check->cost = (firn_cost){0};
    firn_status told = keep_remarks(memory, &all, check);
    if (told == FIRN_OK && s && s->loader->problems.count)
        told = fill_messages(check, memory, &s->loader->problems);
    else if (told == FIRN_OK && status != FIRN_OK)
        told = add_last_error(check, memory);
    scene_close(s);
    return told != FIRN_OK ? told : status;
}

void firn_check_free(firn_check *check) {
    if (!check) return;
    if (check->memory) arena_free(check->memory);
    mem_free(check->memory);
    *check = (firn_check){.report = "", .notes = "", .meetings = ""};
}
