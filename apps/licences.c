// `firn version`: the version, and the licences of this build.
#include "command.h"

#include <string.h>

#ifdef FIRN_HAVE_LIBAV
#include <dlfcn.h>
#include <libavcodec/version.h>
#endif

typedef struct licence {
    const char *name, *terms, *use;
} licence;

static const licence parts[] = {
    {"firn", "MIT", "this program"},
    {"libyaml", "MIT", "scene files"},
    {"HDF5", "BSD-3-Clause", "frames and checkpoints"},
    {"ODE", "BSD-3-Clause or LGPL-2.1-or-later", "rigid bodies"},
    {"libpng", "libpng-2.0", "pictures and height maps"},
    {"xxHash", "BSD-2-Clause", "checksums; headers only"},
#ifdef FIRN_HAVE_ASSIMP
    {"Assimp", "BSD-3-Clause", "mesh files"},
#endif
#ifdef FIRN_HAVE_GL
    {"libepoxy", "MIT", "drawing"},
    {"libglvnd (EGL)", "MIT", "drawing without a display"},
    {"Cairo", "LGPL-2.1 or MPL-1.1", "plots and words"},
    {"Pango, GLib", "LGPL-2.0-or-later", "text in all scripts"},
    {"fontconfig", "MIT", "finding fonts"},
    {"cglm", "MIT", "cameras; headers only"},
#endif
#ifdef FIRN_HAVE_VIEW
    {"GLFW", "Zlib", "the window of the viewer"},
    {"Dear ImGui", "MIT", "panels of the viewer"},
#endif
#ifdef FIRN_HAVE_EMBREE
    {"Embree", "Apache-2.0", "pictures of final quality"},
#endif
#ifdef FIRN_HAVE_LIBAV
    {"FFmpeg (libav*, libswscale)", NULL, "movies"},
#endif
};
enum { PARTS = sizeof parts / sizeof *parts };

// The licence that FFmpeg reports, which depends on how it was built.
static const char *movie_terms(void) {
#ifdef FIRN_HAVE_LIBAV
    const char *(*ask)(void) = NULL;
    void *library = dlopen("libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR), RTLD_LAZY),
         *found = library ? dlsym(library, "avcodec_license") : NULL;
    memcpy(&ask, &found, sizeof ask);
    return ask ? ask() : "(not on this machine)";
#else
    return "";
#endif
}

static const char *terms_of(const licence *part) { return part->terms ? part->terms : movie_terms(); }

static bool is_gpl(const char *terms) { return strncmp(terms, "GPL", 3) == 0; }

static void print_json(void) {
    printf("{\"version\": ");
    print_json_text(firn_version());
    printf(", \"terms\": ");
    print_json_text(is_gpl(movie_terms()) ? movie_terms() : "MIT");
    printf(", \"parts\": [");
    for (size_t i = 0; i < PARTS; i++) {
        printf("%s{\"name\": ", i ? ", " : "");
        print_json_text(parts[i].name);
        printf(", \"licence\": ");
        print_json_text(terms_of(&parts[i]));
        printf("}");
    }
    printf("]}\n");
}

int command_version(const arguments *given) {
    if (given->json) {
        print_json();
        return EXIT_DONE;
    }
    printf("firn %s\n", firn_version());
    if (given->quiet) return EXIT_DONE;
    printf("\nThis command links:\n");
    for (size_t i = 0; i < PARTS; i++)
        printf("  %-28s %-34s %s\n", parts[i].name, terms_of(&parts[i]), parts[i].use);
    if (is_gpl(movie_terms()))
        printf("\nBecause it links FFmpeg, this command as a whole may be distributed under the terms of the "
               "%s.\n"
               "A build without movies (-DFIRN_MOVIE=OFF), and the sources of firn, are under the MIT "
               "licence.\n",
               movie_terms());
    return EXIT_DONE;
}
