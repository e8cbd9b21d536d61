// The scene that `firn new` writes: short, commented, worth looking at.
#include "base/text.h"
#include "scene/quote.h"

#include <firn/scene.h>

static const char page[] =
    "duration: 4 s\n"
    "fps: 30                          # frames per second\n"
    "\n"
    "bodies:\n"
    "  ground:\n"
    "    shape: {hills: {size: [16 m, 1.2 m, 16 m], seed: 3}}\n"
    "    friction: 0.6\n"
    "    color: snow\n"
    "  hare:                          # names are yours; errors and --set use them: bodies.hare.at\n"
    "    shape: {hare: {height: 1.2 m}}\n"
    "    at: [0, 3 m, 0]              # x, y (up), z; a bare number is in metres\n"
    "    rotate: [20 deg, 40 deg, 0]\n"
    "    motion: dynamic              # fixed, dynamic, or a list of keyframes\n"
    "    snow: packed                 # firn list shows all snow types\n"
    "  ball:\n"
    "    shape: {sphere: {radius: 40 cm}}\n"
    "    at: [1.6 m, 4 m, 0.5 m]\n"
    "    motion: dynamic\n"
    "    density: 300 kg/m3\n"
    "    restitution: 0.5             # how much it bounces, 0 to 1\n"
    "    color: orange\n"
    "  stone:\n"
    "    shape: {ellipsoid: {radii: [60 cm, 30 cm, 45 cm]}}\n"
    "    at: [-1.5 m, 3.5 m, -0.5 m]\n"
    "    motion: dynamic\n"
    "    density: 2500 kg/m3\n"
    "    velocity: [1 m/s, 0, 1 m/s]\n"
    "    color: stone\n"
    "\n"
    "grains:                          # loose snow that pours over everything\n"
    "  snow: powder\n"
    "  radius: 1.5 cm\n"
    "  fill:\n"
    "    cloud: {shape: {box: {size: [4 m, 2 m, 4 m]}}, at: [0, 7 m, 0], spacing: 12 cm, pattern: jittered}\n"
    "\n"
    "camera: {from: [6 m, 3.5 m, 8 m], to: [0, 1 m, 0], orbit: 8 deg/s}\n";

firn_status firn_scene_template(const char *name, char **out) {
    if (!out) return fail_null(__func__, "text");
    text t = {0};
    *out = NULL;
    text_add(&t, "firn: 1                          # version of the scene language; firn explain KEY says "
                 "what a key does\n");
    text_add(&t, "name: ");
    quote_add(&t, name && name[0] ? name : "untitled");
    text_add(&t, "\n%s", page);
    return text_take(&t, out);
}
