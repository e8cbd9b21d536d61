#include "scene/explain_words.h"

static const explain_word words[] = {
    {"explain", NULL,
     "  firn explain NAME says what NAME is: a key of a scene, with or without the names of things\n"
     "  (bodies.friction, bodies.ball.friction, friction), a shape (hare), a kind of motion (dynamic),\n"
     "  a snow type (powder), a model (grains), a field (bodies.velocity), a time series (links), a\n"
     "  dimension (length), an error (FIRN_IO), or one of: from, units, auto, set, colors, names, lists, "
     "exit codes.\n"
     "  firn list shows all of them in one line each; firn list wind what belongs to a model.\n"},
    {"from", "include",
     "  from: light.yaml         at the top of a scene: reads light.yaml first, then this file's values win\n"
     "  from: [light.yaml, house.yaml]    several, the later ones win\n"
     "  from: base/snowfall      a base that comes with firn: base/overcast, base/snowfall, "
     "base/winter-light\n"
     "  Maps are merged key by key, so that only what differs is written; lists and single values are\n"
     "  replaced. Names are relative to the file they stand in; what is not there is looked for in the "
     "folders\n"
     "  of FIRN_SCENES (separated by ':') and among the scenes that come with firn.\n"},
    {"units", "dimensions",
     "  A value is a number and its unit: 5 cm, -3 C, 140 kPa, 35 deg, 20 mm/h. A bare number is in SI "
     "units\n"
     "  (angles in rad, temperatures in degrees Celsius). A unit of the wrong kind is an error.\n\n"},
    {"auto", "automatic",
     "  Where the default is auto, firn chooses the value: from the snow a thing is made of, or one that "
     "suits most\n"
     "  scenes. firn explain KEY says how.\n"},
    {"set", "--set",
     "  firn run scene.yaml --set bodies.ball.at=[0,5,0] --set duration='2 s'\n"
     "  changes values from outside; the value is written as in a file. Things must exist in the scene.\n"},
    {"colors", "colours",
     "  [r, g, b]    linear light, each 0 .. 1\n"
     "  \"#rrggbb\"    as on screens (sRGB), in quotes because # begins a comment\n"
     "  a name       white black gray silver red orange yellow green teal cyan blue navy purple pink brown\n"
     "               beige wood stone snow ice sky\n"},
    {"names", "name of a thing",
     "  Things have names (bodies: {ball: ...}) so that errors, overrides and plots can say "
     "bodies.ball.density.\n"
     "  A name has letters, digits, '_' and '-', at most 63, and does not begin with '-'.\n"},
    {"lists", "list",
     "  [a, b, c] on one line, or one item per line after '- '. A vector is a list of three numbers.\n"},
    {"exit codes", "exit",
     "  0    done\n"
     "  1    failed while running: disk full, out of memory, unstable, a part is missing\n"
     "  2    the scene, a file or the command line is wrong; nothing was written\n"
     "  130  interrupted; the state was saved and the same command goes on\n"},
    {"FIRN_OK", NULL, "  All is well. Exit code 0.\n"},
    {"FIRN_BAD_INPUT", "bad input",
     "  A scene, a file, a parameter or a call is wrong; nothing was done. The message says where and what "
     "is\n"
     "  allowed. Exit code 2.\n"},
    {"FIRN_NO_MEMORY", "no memory",
     "  An allocation failed. firn check says what a scene needs; fewer grains or coarser cells need less. "
     "Exit\n"
     "  code 1.\n"},
    {"FIRN_IO", "io",
     "  A file could not be read or written: the message has the system's reason (no space left, no "
     "permission).\n"
     "  Files under their final name are whole; run the same command again when there is room. Exit code "
     "1.\n"},
    {"FIRN_UNSTABLE", "unstable",
     "  The watchdog stopped the run: something became faster than max_speed or is not a number. The "
     "message\n"
     "  names model, item and step; the last good frame is kept. Try a smaller max_step, look for bodies "
     "that\n"
     "  start inside each other, or raise max_speed if such speeds are meant. Exit code 1.\n"},
    {"FIRN_INTERRUPTED", "interrupted",
     "  Asked to stop (Ctrl-C, SIGTERM); a checkpoint was saved and the same command goes on. Exit code "
     "130.\n"},
    {"FIRN_UNSUPPORTED", "unsupported",
     "  This build or machine lacks a part, such as OpenGL for pictures or FFmpeg for movies. Exit code "
     "1.\n"},
};

const explain_word *explain_words(size_t *count) {
    *count = sizeof words / sizeof words[0];
    return words;
}
