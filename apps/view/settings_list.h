// The parameters of a world as the panel shows them: a copy that the simulation hands over.
#ifndef VIEW_SETTINGS_LIST_H
#define VIEW_SETTINGS_LIST_H

#include <firn/firn.h>

typedef struct setting {
    char *name;                // "wind.inflow.speed"
    const firn_param_row *row; // static
    char text[128];            // its value as a scene writes it; "" if it is too long to be shown
    double number;             // of a number, SI
    char base[128];            // its value in the scene file
    bool added;                // of something that was added while the world runs: no scene has it
} setting;

typedef struct settings {
    setting *item;
    size_t count, capacity;
    unsigned version; // changes with the values
} settings;

// The values of a world; base: it is the scene as its file says.
bool settings_read(settings *s, const firn_world *world, bool base);
bool settings_copy(settings *to, const settings *from);
void settings_free(settings *s);
setting *settings_find(const settings *s, const char *name); // NULL: there is none
bool setting_changed(const setting *s);
enum { SETTING_YAML = 300 };
// A value as YAML: a text with what would mean something there gets quotes.
const char *setting_yaml(const setting *s, const char *text, char out[SETTING_YAML]);

// The scene `base` with what differs from it, as a text to be freed; NULL: no memory. file: where it will be
// written; a base in the same folder is named without its folder. more: sections behind them.
char *settings_scene(const settings *s, const char *base, const char *file, const char *more);

#endif
