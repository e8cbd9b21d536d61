// Finding the scenes that come with firn.
#include "command.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SCENES = 256, NAME_ROOM = 64, INPUT_LIMIT = 17 << 20 }; // more than the library reads of a scene

typedef struct shipped {
    char name[NAME_ROOM]; // "tumble"
    char path[PATH_MAX];
} shipped;

typedef struct shipped_list {
    shipped *items;
    size_t count;
} shipped_list;

static bool is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

// build/release/firn has its scenes in ../../scenes, PREFIX/bin/firn in ../share/firn/scenes.
static bool scenes_folder(char *out, size_t size) {
    static const char *const below[] = {"../share/firn/scenes", "../../scenes"};
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return false;
    self[length] = 0;
    char *slash = strrchr(self, '/');
    if (!slash) return false;
    *slash = 0;
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        char path[PATH_MAX + 32], whole[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", self, below[i]);
        if (!is_folder(path) || !realpath(path, whole)) continue;
        snprintf(out, size, "%s", whole);
        return true;
    }
    return false;
}

int output_folder_check(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0 || S_ISDIR(status.st_mode)) return EXIT_DONE;
    return say_usage("'%s' is a file; -o takes a folder here", path);
}

void scenes_start(void) {
    char folder[PATH_MAX];
    if (scenes_folder(folder, sizeof folder)) firn_set_scene_folders(folder);
}

static void add_folder(shipped_list *list, const char *folder) {
    DIR *dir = opendir(folder);
    if (!dir) return;
    for (struct dirent *entry; (entry = readdir(dir)) && list->count < SCENES;) {
        size_t length = strlen(entry->d_name);
        shipped *item = &list->items[list->count];
        if (length <= 5 || length - 5 >= NAME_ROOM || strcmp(entry->d_name + length - 5, ".yaml") != 0)
            continue;
        if (snprintf(item->path, sizeof item->path, "%s/%s", folder, entry->d_name) >= (int)sizeof item->path)
            continue;
        snprintf(item->name, sizeof item->name, "%.*s", (int)(length - 5), entry->d_name);
        if (is_file(item->path)) list->count++;
    }
    closedir(dir);
}

static int by_path(const void *a, const void *b) {
    return strcmp(((const shipped *)a)->path, ((const shipped *)b)->path);
}

// scenes/base holds what other scenes start from; it is not listed.
static bool scenes_read(shipped_list *list) {
    char top[PATH_MAX];
    *list = (shipped_list){.items = calloc(SCENES, sizeof(shipped))};
    if (!list->items) return false;
    if (!scenes_folder(top, sizeof top)) return true;
    DIR *dir = opendir(top);
    if (!dir) return true;
    for (struct dirent *entry; (entry = readdir(dir));) {
        char folder[PATH_MAX + NAME_MAX + 2];
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "base") == 0) continue;
        snprintf(folder, sizeof folder, "%s/%s", top, entry->d_name);
        if (is_folder(folder)) add_folder(list, folder);
    }
    closedir(dir);
    add_folder(list, top);
    qsort(list->items, list->count, sizeof *list->items, by_path);
    return true;
}

static int unknown_scene(const char *argument, const shipped_list *list) {
    const char *names[SCENES];
    for (size_t i = 0; i < list->count; i++) names[i] = list->items[i].name;
    const char *hint = did_you_mean(argument, names, list->count);
    return say_usage("no scene '%s': there is no such file, and no scene of that name comes with firn%s",
                     argument, *hint ? hint : " ('firn list' shows them)");
}

// The library reads "-" from standard input, perhaps more than once, so that a pipe is kept in memory. Before
// any signal is caught: Ctrl-C ends a wait for what is typed.
static int keep_input(void) {
    if (lseek(STDIN_FILENO, 0, SEEK_CUR) >= 0) return EXIT_DONE;
    int kept = memfd_create("scene", MFD_CLOEXEC);
    if (kept < 0) return say_failed("cannot store standard input: %s", strerror(errno));
    char block[1 << 16];
    ssize_t bytes, all = 0;
    while ((bytes = read(STDIN_FILENO, block, sizeof block)) > 0 && all < INPUT_LIMIT) {
        all += bytes;
        if (write(kept, block, (size_t)bytes) != bytes) break;
    }
    int why = errno;
    bool good = bytes >= 0 && dup2(kept, STDIN_FILENO) == STDIN_FILENO;
    close(kept);
    return good ? EXIT_DONE : say_failed("cannot read standard input: %s", strerror(why));
}

int scene_find(const char *argument, char *path, size_t size) {
    if (strcmp(argument, "-") == 0 || strcmp(argument, "/dev/stdin") == 0) {
        snprintf(path, size, "-");
        return keep_input();
    }
    if (is_file(argument) || strchr(argument, '/')) {
        if (!is_file(argument))
            return say_usage("cannot read scene '%s': %s", argument,
                             is_folder(argument) ? "it is a folder" : strerror(errno));
        snprintf(path, size, "%s", argument);
        return EXIT_DONE;
    }
    shipped_list list;
    if (!scenes_read(&list)) return say_failed("out of memory while looking for scenes");
    int code = EXIT_USAGE;
    for (size_t i = 0; i < list.count && code != EXIT_DONE; i++) {
        if (strcmp(list.items[i].name, argument) != 0) continue;
        snprintf(path, size, "%s", list.items[i].path);
        code = EXIT_DONE;
    }
    if (code != EXIT_DONE) unknown_scene(argument, &list);
    free(list.items);
    return code;
}

void scenes_each(void (*see)(void *context, const char *name, const char *path), void *context) {
    shipped_list list;
    if (!scenes_read(&list)) return;
    for (size_t i = 0; i < list.count; i++) see(context, list.items[i].name, list.items[i].path);
    free(list.items);
}

int scenes_print_names(void) {
    shipped_list list;
    if (!scenes_read(&list)) return say_failed("out of memory while listing scenes");
    for (size_t i = 0; i < list.count; i++) printf(" %s", list.items[i].name);
    free(list.items);
    return EXIT_DONE;
}

int scenes_print(const arguments *given) {
    shipped_list list;
    if (!scenes_read(&list)) return say_failed("out of memory while listing scenes");
    if (list.count && !given->json) printf("\nScenes (firn run NAME -o DIR)\n");
    for (size_t i = 0; i < list.count; i++) {
        char *title = NULL;
        if (firn_scene_title(list.items[i].path, &title) != FIRN_OK) continue;
        if (given->json) {
            printf("{\"event\": \"row\", \"kind\": \"scene\", \"name\": ");
            print_json_text(list.items[i].name);
            printf(", \"help\": ");
            print_json_text(title);
            printf("}\n");
        } else {
            printf("  %-18s ", list.items[i].name);
            print_clean(stdout, title);
            printf("\n");
        }
        firn_text_free(title);
    }
    free(list.items);
    return EXIT_DONE;
}
