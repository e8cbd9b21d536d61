// firn check: mistakes, warnings and costs of scenes, for people and for machines.
#include "command.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static void format_bytes(uint64_t bytes, char out[32]) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    double value = (double)bytes;
    int unit = 0;
    while (value >= 1000 && unit < 5) value /= 1000, unit++;
    snprintf(out, 32, "%.3g %s", value, units[unit]);
}

// Each line of the notes, without its end, by `print`.
static void each_note(const char *notes, void (*print)(const char *scene, const char *line),
                      const char *scene) {
    char line[512];
    while (*notes) {
        size_t length = strcspn(notes, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, notes);
        print(scene, line);
        notes += length + (notes[length] == '\n');
    }
}

static void print_meeting(const char *scene, const char *line) {
    (void)scene;
    printf("  %-10s %s\n", "meets", line);
}

static void print_meeting_json(const char *scene, const char *line) {
    printf("{\"event\": \"meeting\", \"scene\": ");
    print_json_text(scene);
    printf(", \"message\": ");
    print_json_text(line);
    printf("}\n");
}

static void print_note(const char *scene, const char *line) {
    (void)scene;
    printf("  %-10s %s\n", "note", line);
}

static void print_note_json(const char *scene, const char *line) {
    printf("{\"event\": \"note\", \"scene\": ");
    print_json_text(scene);
    printf(", \"message\": ");
    print_json_text(line);
    printf("}\n");
}

static void print_cost(const char *scene, const firn_check *check) {
    const firn_cost *cost = &check->cost;
    char memory[32], disk[32], available[32], space[32];
    format_bytes(cost->memory, memory);
    format_bytes(cost->disk, disk);
    format_bytes(check->memory_available, available);
    format_bytes(check->disk_free, space);
    if (check->warnings)
        printf("%s: ok, %zu warning%s\n", scene, check->warnings, check->warnings == 1 ? "" : "s");
    else
        printf("%s: ok\n", scene);
    printf("  %-10s %llu\n", "bodies", (unsigned long long)cost->bodies);
    printf("  %-10s %llu\n", "particles", (unsigned long long)cost->particles);
    printf("  %-10s %llu\n", "cells", (unsigned long long)cost->cells);
    printf("  %-10s %s of %s available\n", "memory", memory, available);
    printf("  %-10s %s in %llu frames, %s are free here\n", "disk", disk, (unsigned long long)cost->frames,
           space);
    printf("  %-10s about %s with %d threads, %llu steps\n", "time", time_text(cost->seconds), firn_threads(),
           (unsigned long long)cost->steps);
    printf("  %-10s about %s for a movie\n", "render", time_text(cost->render_seconds));
    each_note(check->meetings, print_meeting, scene);
    each_note(check->notes, print_note, scene);
}

static void print_message_json(const char *scene, const firn_message *m) {
    printf("{\"event\": \"%s\", \"scene\": ", m->warning ? "warning" : "error");
    print_json_text(scene);
    printf(", \"file\": ");
    print_json_text(m->file);
    printf(", \"line\": %u, \"column\": %u, \"message\": ", m->line, m->column);
    print_json_text(m->text);
    printf(", \"hint\": ");
    print_json_text(m->hint);
    printf("}\n");
}

static void print_json(const char *scene, const firn_check *check) {
    const firn_cost *c = &check->cost;
    each_note(check->meetings, print_meeting_json, scene);
    each_note(check->notes, print_note_json, scene);
    printf("{\"event\": \"ok\", \"scene\": ");
    print_json_text(scene);
    printf(", \"warnings\": %zu, \"bodies\": %llu, \"particles\": %llu, \"cells\": %llu, \"memory\": %llu, "
           "\"memory_available\": %llu, \"disk\": %llu, \"disk_free\": %llu, \"frames\": %llu, "
           "\"steps\": %llu, \"seconds\": %.6g, \"render_seconds\": %.6g, \"threads\": %d}\n",
           check->warnings, (unsigned long long)c->bodies, (unsigned long long)c->particles,
           (unsigned long long)c->cells, (unsigned long long)c->memory,
           (unsigned long long)check->memory_available, (unsigned long long)c->disk,
           (unsigned long long)check->disk_free, (unsigned long long)c->frames, (unsigned long long)c->steps,
           c->seconds, c->render_seconds, firn_threads());
}

static int check_ranks(const arguments *given, const char *word, const char *scene, const firn_cost *cost) {
    firn_rank_cost c;
    char first[32], other[32], bytes[32];
    int code = say_status(firn_scene_check_ranks(scene, given->set, cost, given->ranks, &c));
    if (code != EXIT_DONE || given->quiet) return code;
    format_bytes(c.memory_first, first);
    format_bytes(c.memory, other);
    format_bytes(c.bytes, bytes);
    if (given->json) {
        printf("{\"event\": \"ranks\", \"scene\": ");
        print_json_text(word);
        printf(", \"ranks\": %llu, \"memory_first\": %llu, \"memory\": %llu, \"bytes\": %llu, "
               "\"messages\": %llu, \"seconds\": %.6g, \"proposed\": %zu}\n",
               (unsigned long long)given->ranks, (unsigned long long)c.memory_first,
               (unsigned long long)c.memory, (unsigned long long)c.bytes, (unsigned long long)c.messages,
               c.seconds, c.proposed);
        return EXIT_DONE;
    }
    printf("  %-10s %llu: memory %s of the first, %s of each other; each sends %s to %llu others in a step; "
           "about %s with %d threads each\n",
           "ranks", (unsigned long long)given->ranks, first, other, bytes, (unsigned long long)c.messages,
           time_text(c.seconds), firn_threads());
    printf("  %-10s up to %zu ranks spend three quarters of their time on the scene\n", "", c.proposed);
    return EXIT_DONE;
}

static int check_one(const arguments *given, const char *word) {
    char scene[PATH_MAX];
    int code = scene_find(word, scene, sizeof scene);
    if (code != EXIT_DONE) return code;
    firn_check check;
    interrupt_watch();
    firn_status status = firn_scene_check(scene, given->set, given->frames, &check);
    for (size_t i = 0; given->json && i < check.count; i++) print_message_json(word, &check.messages[i]);
    if (status != FIRN_OK) {
        code = status == FIRN_INTERRUPTED ? say_status(status) : say_report(status, check.report);
    } else if (given->json) {
        print_json(word, &check);
    } else if (!given->quiet) {
        print_clean(stderr, check.report);
        print_cost(word, &check);
    }
    if (status == FIRN_OK && given->ranks) code = check_ranks(given, word, scene, &check.cost);
    firn_check_free(&check);
    return code;
}

// The worst code of all scenes.
int command_check(const arguments *given) {
    int worst = EXIT_DONE;
    for (size_t i = 0; i < given->word_count && !interrupt_asked(NULL); i++) {
        int code = check_one(given, given->words[i]);
        if (worst == EXIT_DONE || code == EXIT_FAILED) worst = code == EXIT_DONE ? worst : code;
    }
    return worst;
}
