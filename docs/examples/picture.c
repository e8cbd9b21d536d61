/* Steps a world and draws it, without a run and without a window: a snowball falls into the snow, and its
   picture goes to picture.ppm.

   cc picture.c $(pkg-config --cflags --libs firn) -o picture && ./picture */
#include <firn/firn.h>

#include <stdio.h>
#include <stdlib.h>

static const char scene[] = "firn: 1\n"
                            "bodies: {ground: {shape: plane}}\n"
                            "mpm: {cell: 4 cm, snow: {ball: {shape: {sphere: {radius: 20 cm}},\n"
                            "      at: [0, 0.4, 0], type: packed, velocity: [0, -4, 0]}}}\n"
                            "camera: {from: [1.2, 0.8, 1.6], to: [0, 0.2, 0]}\n"
                            "picture: {width: 320, height: 180, labels: false}\n";

static int failed(const char *doing) {
    fprintf(stderr, "%s: %s\n", doing, firn_last_error());
    return 1;
}

static int write_ppm(const char *path, const uint8_t *rgba, int width, int height) {
    FILE *file = fopen(path, "wb");
    if (!file) return 1;
    fprintf(file, "P6\n%d %d\n255\n", width, height);
    for (int i = 0; i < width * height; i++) fwrite(rgba + 4 * i, 1, 3, file);
    return fclose(file);
}

int main(void) {
    firn_world *world;
    firn_renderer *renderer;
    if (firn_world_open_text(scene, "picture", &world) != FIRN_OK) return failed("cannot build the world");
    /* What the picture looks like is in the same scene. */
    firn_renderer_options options = firn_renderer_options_default();
    options.text = scene;
    firn_status status = firn_renderer_open(world, &options, &renderer);
    if (status == FIRN_UNSUPPORTED) { /* a build or a machine without OpenGL */
        printf("no picture: %s\n", firn_last_error());
        firn_world_close(world);
        return 0;
    }
    if (status != FIRN_OK) return failed("cannot draw");
    int width = firn_renderer_width(renderer), height = firn_renderer_height(renderer);
    uint8_t *rgba = malloc(4 * (size_t)width * (size_t)height);
    if (!rgba || firn_world_advance(world, 0.1) != FIRN_OK) return failed("cannot step");
    if (firn_renderer_draw(renderer, NULL, rgba, 0) != FIRN_OK) return failed("cannot draw");
    if (write_ppm("picture.ppm", rgba, width, height) != 0) return 1;
    printf("picture.ppm shows %.2f s\n", firn_world_time(world));
    free(rgba);
    firn_renderer_close(renderer);
    firn_world_close(world);
    return 0;
}
