// The words that `firn explain` knows beside parameters, shapes, models and fields.
#include "scene/explain_words.h"

static const explain_word words[] = {
    {"explain", NULL,
     "  firn explain NAME says what NAME is: a key of a scene, with or without the names of items\n"
     "  (bodies.friction, bodies.ball.friction, friction), a shape (hare), a kind of motion (dynamic),\n"
     "  a snow type (powder), a model (grains), a field (bodies.velocity), a time series (links), a\n"
     "  dimension (length), an error (FIRN_IO), or one of: from, units, auto, set, colors, names, lists,\n"
     "  exit codes.\n"
     "  firn list shows all of them, one per line; firn list wind shows those of one model.\n"},
    {"from", "include",
     "  from: light.yaml         at the top of a scene: reads light.yaml first, then this file's values win\n"
     "  from: [light.yaml, house.yaml]    several files, of which later ones win\n"
     "  from: base/snowfall      a base that comes with firn: base/overcast, base/snowfall,\n"
     "                           base/winter-light\n"
     "  Maps are merged key by key, so that a scene contains only what differs; lists and single values\n"
     "  are replaced. Names are relative to the file that contains them. A file that is not there is\n"
     "  searched for in the folders of FIRN_SCENES (separated by ':') and among the scenes that come with\n"
     "  firn.\n"},
    {"units", "dimensions",
     "  A value is a number and its unit: 5 cm, -3 C, 140 kPa, 35 deg, 20 mm/h. A bare number is in\n"
     "  SI units (angles in rad, temperatures in degrees Celsius). A unit of the wrong kind is an error.\n"
     "\n"},
    {"auto", "automatic",
     "  Where the default is auto, firn chooses the value: from the snow type of an item, or one that\n"
     "  suits most scenes. firn explain KEY says how.\n"},
    {"set", "--set",
     "  firn run scene.yaml --set bodies.ball.at=[0,5,0] --set duration='2 s'\n"
     "  overrides values of the scene; a value is written as in a file. The items it names must exist in\n"
     "  the scene.\n"},
    {"colors", "colours",
     "  [r, g, b]    linear light, each 0 .. 1\n"
     "  \"#rrggbb\"    as on screens (sRGB), in quotes because # begins a comment\n"
     "  a name       white black gray silver red orange yellow green teal cyan blue navy purple pink\n"
     "               brown beige wood stone snow ice sky\n"},
    {"names", "name of a thing",
     "  Items have names (bodies: {ball: ...}), which errors, overrides and plots use, such as\n"
     "  bodies.ball.density. A name has at most 63 letters, digits, '_' and '-', and does not begin\n"
     "  with '-'.\n"},
    {"lists", "list",
     "  [a, b, c] on one line, or one item per line after '- '. A vector is a list of three numbers.\n"},
    {"exit codes", "exit",
     "  0    done\n"
     "  1    failed while running: disk full, out of memory, unstable, or not supported by this build\n"
     "  2    the scene, a file or the command line is invalid; nothing was written\n"
     "  130  interrupted; the state was saved and the same command continues\n"},
    {"FIRN_OK", NULL, "  Success. Exit code 0.\n"},
    {"FIRN_BAD_INPUT", "bad input",
     "  A scene, a file, a parameter or a call is invalid; nothing was done. The message says where, and\n"
     "  what is allowed. Exit code 2.\n"},
    {"FIRN_NO_MEMORY", "no memory",
     "  An allocation failed. firn check prints what a scene needs; fewer grains or coarser cells need\n"
     "  less. Exit code 1.\n"},
    {"FIRN_IO", "io",
     "  A file could not be read or written; the message has the system's reason (no space left, no\n"
     "  permission). Files under their final names are complete; run the same command again when there is\n"
     "  space. Exit code 1.\n"},
    {"FIRN_UNSTABLE", "unstable",
     "  The watchdog stopped the run: something became faster than max_speed, or a value is not finite.\n"
     "  The message names model, item and step; the last good frame is kept. Try a smaller max_step, look\n"
     "  for bodies that start inside each other, or raise max_speed if such speeds are intended. Exit\n"
     "  code 1.\n"},
    {"FIRN_INTERRUPTED", "interrupted",
     "  The program was asked to stop (Ctrl-C, SIGTERM); a checkpoint was saved and the same command\n"
     "  continues. Exit code 130.\n"},
    {"FIRN_UNSUPPORTED", "unsupported",
     "  This build or machine does not support it, such as pictures without OpenGL or movies without\n"
     "  FFmpeg. Exit code 1.\n"},
};

const explain_word *explain_words(size_t *count) {
    *count = sizeof words / sizeof words[0];
    return words;
}
