/* A snow type that firn does not have, made known to all scenes of a program.

   cc crust_snow.c $(pkg-config --cflags --libs firn) -lm && ./a.out */
#include <firn/firn.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(bool good, const char *what) {
    if (good) return;
    fprintf(stderr, "crust: %s (%s)\n", what, firn_last_error());
    exit(1);
}

/* The ball's mass tells its density; a scene may derive types of its own from the program's. */
static const char scene[] =
    "firn: 1\n"
    "snow_types: {icy_crust: {from: crust, density: 700 kg/m3}}\n"
    "bodies:\n"
    "  ground: {shape: plane}\n"
    "  ball: {shape: {sphere: {radius: 50 cm}}, at: [0, 0.5, 0], motion: dynamic, snow: crust}\n"
    "  stone: {shape: {sphere: {radius: 50 cm}}, at: [3, 0.5, 0], motion: dynamic, snow: icy_crust}\n"
    "grains:\n"
    "  snow: crust\n"
    "  radius: 1 cm\n"
    "  fill: {heap: {shape: {box: {size: [0.2, 0.2, 0.2]}}, at: [0, 1.5, 0], spacing: 4 cm}}\n";

int main(void) {
    firn_snow_type_def crust = firn_snow_type_def_default();
    crust.name = "crust";
    crust.from = "firn"; /* all that is not given is as there */
    crust.character = "melted and frozen again";
    crust.density = 350;
    crust.friction = 0.2;
    need(firn_register_snow_type(&crust) == FIRN_OK, "it cannot be registered");
    need(firn_register_snow_type(&crust) == FIRN_BAD_INPUT, "it can be registered twice");

    firn_world *world;
    need(firn_world_open_text(scene, "crust", &world) == FIRN_OK, "no world");
    double volume = 4.0 / 3 * 3.14159265358979323846 * 0.125;
    double ball = firn_world_body_state(world, 1).mass / volume;
    double stone = firn_world_body_state(world, 2).mass / volume;
    printf("the ball has %.1f kg/m3, the stone %.1f\n", ball, stone);
    need(fabs(ball - 350) < 1, "the ball is not made of crust");
    need(fabs(stone - 700) < 1, "the scene's own type is wrong");
    firn_ledger grains = firn_world_ledger(world, 1);
    double grain = grains.mass / (double)grains.items / (4.0 / 3 * 3.14159265358979323846 * 1e-6);
    need(fabs(grain - 350) < 1, "the grains are not made of crust");
    need(firn_world_advance(world, 0.5) == FIRN_OK, "it does not step");
    firn_world_close(world);

    char *text;
    need(firn_explain("crust", false, &text) == FIRN_OK, "it is not explained");
    need(strstr(text, "melted and frozen again") != NULL, "its character is not told");
    firn_text_free(text);
    puts("crust works");
    return 0;
}
