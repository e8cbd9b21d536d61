// `firn reproduce`: runs the cases of a thesis, keeps them in a folder, and writes a page about them.
#include "reproduce.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct thesis {
    const char *name;
    const char *title;
    int (*run)(reproduction *r);
} thesis;
static const thesis theses[] = {
    {"field11", "FIELD11: bodies that deform a field of snow", reproduce_field11},
    {"mpm15", "MPM15: snow by the material point method", reproduce_mpm15},
    {"pbd19", "PBD19: solids and liquids by position-based dynamics", reproduce_pbd19},
    {"phase21", "PHASE21: snow that melts and freezes", reproduce_phase21},
    {"wind12", "WIND12: wind, flakes and the cover they leave", reproduce_wind12}};
enum { THESES = sizeof theses / sizeof *theses };

bool reproduce_path(const reproduction *r, const char *below, const char *name, const char *end, char *path,
                    size_t size) {
    return snprintf(path, size, "%s%s%s/%s%s", r->folder, *below ? "/" : "", below, name, end) < (int)size;
}

static size_t collect(const char **all, size_t room, const reproduce_case *c, const char *const *common) {
    size_t count = 0;
    for (const char *const *set = common; *set && count < room; set++) all[count++] = *set;
    for (const char *const *set = c->set; *set && count < room; set++) all[count++] = *set;
    return count;
}

// A picture is drawn again only when the run has changed.
static bool newer(const char *path, const char *than) {
    struct stat a, b;
    return stat(path, &a) == 0 && stat(than, &b) == 0 &&
           (a.st_mtim.tv_sec > b.st_mtim.tv_sec ||
            (a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec >= b.st_mtim.tv_nsec));
}

int reproduce_draw(const reproduction *r, const reproduce_case *c, const char *name, uint64_t frame,
                   const char *const *set) {
    char picture[PATH_MAX], times[PATH_MAX], folder[PATH_MAX];
    if (!reproduce_path(r, "", name, ".png", picture, sizeof picture) ||
        !reproduce_path(r, "runs", c->name, "", folder, sizeof folder) ||
        !reproduce_path(r, "runs", c->name, "/times.csv", times, sizeof times))
        return say_usage("the path '%s' is too long", r->folder);
    if (newer(picture, times)) return EXIT_DONE;
    firn_render_options options = firn_render_options_default();
    options.folder = folder;
    options.output = picture;
    options.width = r->given->width ? r->given->width : r->quick ? 320 : 640;
    options.height = r->given->height ? r->given->height : r->quick ? 240 : 480;
    options.overrides.items = set;
    while (set && set[options.overrides.count]) options.overrides.count++;
    if (frame != FIRN_LAST_FRAME) options.first = frame, options.count = 1;
    options.stop = interrupt_asked;
    firn_status status = firn_render(&options);
    if (status != FIRN_UNSUPPORTED) return say_status(status);
    say_note("%s; the page will have no pictures", firn_last_error());
    return EXIT_DONE;
}

int reproduce_simulate(const reproduction *r, const reproduce_case *c, const char *const *common) {
    const char *sets[2 * REPRODUCE_SETS];
    char folder[PATH_MAX], scene[PATH_MAX];
    if (!reproduce_path(r, "runs", c->name, "", folder, sizeof folder))
        return say_usage("the path '%s' is too long", r->folder);
    arguments given = *r->given;
    given.set = (firn_overrides){sets, collect(sets, 2 * REPRODUCE_SETS, c, common)};
    given.frames = 0;
    int code = scene_find(c->scene, scene, sizeof scene);
    if (code == EXIT_DONE) say_note("'%s'", c->name);
    return code == EXIT_DONE ? run_scene(scene, folder, &given) : code;
}

int reproduce_run(const reproduction *r, const reproduce_case *c, const char *const *common) {
    int code = reproduce_simulate(r, c, common);
    return code == EXIT_DONE ? reproduce_draw(r, c, c->name, FIRN_LAST_FRAME, NULL) : code;
}

int reproduce_world(const reproduction *r, const reproduce_case *c, uint64_t frame, firn_world **world) {
    char folder[PATH_MAX];
    if (!reproduce_path(r, "runs", c->name, "", folder, sizeof folder))
        return say_usage("the path '%s' is too long", r->folder);
    return say_status(firn_run_world(folder, frame, world));
}

bool reproduce_cost(const reproduction *r, const reproduce_case *c, double *steps, double *seconds) {
    char path[PATH_MAX], line[128];
    *steps = *seconds = 0;
    if (!reproduce_path(r, "runs", c->name, "/times.csv", path, sizeof path)) return false;
    FILE *file = fopen(path, "r");
    if (!file) return false;
    while (fgets(line, sizeof line, file)) {
        char *at = strchr(line, ','); // frame,steps,seconds
        if (!at || line[0] < '0' || line[0] > '9') continue;
        *steps += strtod(at + 1, &at);
        if (*at == ',') *seconds += strtod(at + 1, NULL);
    }
    fclose(file);
    return true;
}

void reproduce_command(const reproduction *r, const reproduce_case *c, const char *const *common) {
    const char *sets[2 * REPRODUCE_SETS];
    size_t count = collect(sets, 2 * REPRODUCE_SETS, c, common);
    fprintf(r->page, "`firn run %s -o DIR", c->scene);
    for (size_t i = 0; i < count; i++) fprintf(r->page, " --set %s", sets[i]);
    fprintf(r->page, "`");
}

int reproduce_rate(const char *scene, int before, double *rate, double *particles) {
    enum { LEAST = 5, MOST = 200 };
    firn_world *world;
    int code = say_status(firn_world_open_text(scene, "rate", &world));
    if (code != EXIT_DONE) return code;
    firn_status status = FIRN_OK;
    for (int i = 0; i < before && status == FIRN_OK; i++) status = firn_world_step(world);
    double start = seconds_now(), end = start;
    int steps = 0;
    while (status == FIRN_OK && steps < MOST && (steps < LEAST || end - start < 1) &&
           !interrupt_asked(NULL)) {
        status = firn_world_step(world);
        end = seconds_now();
        steps++;
    }
    *rate = steps / (end - start);
    *particles = (double)firn_world_field(world, "mpm.position").count;
    firn_world_close(world);
    if (status == FIRN_OK && interrupt_asked(NULL)) return EXIT_INTERRUPTED;
    return say_status(status);
}

// Model name of the processor, as Linux tells it.
static void print_machine(FILE *page) {
    char line[256], name[256] = "an unknown processor";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        snprintf(name, sizeof name, "%s", colon + 1 + strspn(colon + 1, " \t"));
        name[strcspn(name, "\n")] = 0;
        break;
    }
    if (file) fclose(file);
    const char *set = "";
    firn_instruction_set(&set);
    fprintf(page, "Machine: %s, %d threads, %s. firn %s.\n\n", name, firn_threads(), set, firn_version());
}

static const thesis *thesis_find(const char *name) {
    for (size_t i = 0; i < THESES; i++)
        if (strcmp(theses[i].name, name) == 0) return &theses[i];
    return NULL;
}

static int unknown_thesis(const char *name) {
    const char *names[THESES];
    for (size_t i = 0; i < THESES; i++) names[i] = theses[i].name;
    const char *hint = did_you_mean(name, names, THESES);
    int code = say_usage("cannot reproduce '%s'%s", name, hint);
    for (size_t i = 0; i < THESES; i++) fprintf(stderr, "  %-8s %s\n", theses[i].name, theses[i].title);
    return code;
}

// The page is whole or absent, as every file of firn.
static int write_page(reproduction *r, const thesis *t) {
    char path[PATH_MAX], part[PATH_MAX];
    if (!reproduce_path(r, "", t->name, ".md", path, sizeof path) ||
        !reproduce_path(r, "", t->name, ".md.part", part, sizeof part))
        return say_usage("the path '%s' is too long", r->folder);
    r->page = fopen(part, "w");
    if (!r->page) return say_failed("cannot write '%s': %s", part, strerror(errno));
    fprintf(r->page, "# %s\n\n", t->title);
    fprintf(r->page, "Made by `firn reproduce %s%s`.", t->name, r->quick ? " --quick" : "");
    if (r->quick)
        fprintf(r->page, " Cells or particles are larger than in the thesis, so that pictures and numbers "
                         "differ from its.");
    fprintf(r->page, " ");
    print_machine(r->page);
    int code = t->run(r);
    bool written = fflush(r->page) == 0 && !ferror(r->page) && fsync(fileno(r->page)) == 0;
    written = fclose(r->page) == 0 && written;
    if (code == EXIT_DONE && (!written || rename(part, path) != 0))
        code = say_failed("cannot write '%s': %s", path, strerror(errno));
    if (code != EXIT_DONE)
        unlink(part);
    else
        say_done(path);
    return code;
}

// A folder and those above it, as `firn run` makes them.
static bool make_folders(const char *path) {
    char part[PATH_MAX];
    for (size_t i = 1; i <= strlen(path) && i < sizeof part; i++) {
        if (path[i] != '/' && path[i] != 0) continue;
        snprintf(part, sizeof part, "%.*s", (int)i, path);
        if (mkdir(part, 0777) != 0 && errno != EEXIST) return false;
    }
    return true;
}

int command_reproduce(const arguments *given) {
    const thesis *t = thesis_find(given->words[0]);
    if (!t) return unknown_thesis(given->words[0]);
    if (!given->output)
        return say_usage("'firn reproduce' needs an output folder: firn reproduce %s -o DIR", t->name);
    int code = output_folder_check(given->output);
    if (code != EXIT_DONE) return code;
    interrupt_watch();
    if (!make_folders(given->output))
        return say_failed("cannot make the folder '%s': %s", given->output, strerror(errno));
    reproduction r = {.given = given, .folder = given->output, .quick = given->quick};
    return write_page(&r, t);
}
