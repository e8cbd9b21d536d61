// The panel of parameters, made from the tables: a control for each, by its type.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "view.h"

// Limits of a slider: those of the table, or around the value of the scene.
static bool slider_range(const setting *s, double *low, double *high) {
    const firn_param_row *row = s->row;
    bool limited = row->min != 0 || row->max != 0;
    *low = limited && isfinite(row->min) ? row->min : s->number < 0 ? 4 * s->number : 0;
    *high = limited && isfinite(row->max) ? row->max : fabs(s->number) > 0 ? 4 * fabs(s->number) : 1;
    bool wide = *high - *low > 1e4 * fmax(fabs(s->number), 1e-9) && s->number != 0;
    if (wide) *high = fmax(*low + 1e-9, 4 * fabs(s->number));
    return isfinite(s->number) && *high > *low;
}

static void show_number(view *v, const setting *s, const char *text) {
    char value[128], label[600];
    double number = s->number, low, high;
    snprintf(value, sizeof value, "%s", text);
    snprintf(label, sizeof label, "##%s", s->name);
    bool vector = s->row->type == FIRN_PARAM_VEC3;
    ui_width(vector ? 194 : 100);
    if (ui_field(v->gui, label, value, sizeof value)) view_set(v, s->name, value);
    ui_help(vector ? "Three numbers with their units; Enter sets them."
                   : "A number with its unit, such as 5 cm; Enter sets it.");
    if (vector || !slider_range(s, &low, &high)) return;
    ui_same_line(0);
    ui_width(90);
    snprintf(label, sizeof label, "##slide %s", s->name);
    if (!ui_slider(v->gui, label, &number, low, high, "")) return;
    if (s->row->type == FIRN_PARAM_INT)
        snprintf(value, sizeof value, "%.0f", round(number));
    else
        snprintf(value, sizeof value, "%.6g %s", number, firn_dimension_unit(s->row->unit));
    view_set(v, s->name, value);
}

static void show_choice(view *v, const setting *s, const char *text) {
    const char *const *words = s->row->type == FIRN_PARAM_CHOICE ? s->row->choices
                               : s->row->words                   ? s->row->words()
                                                                 : NULL;
    char label[600];
    int count = 0, now = -1;
    for (; words && words[count]; count++)
        if (strcmp(words[count], text) == 0) now = count;
    snprintf(label, sizeof label, "##%s", s->name);
    ui_width(194);
    if (words && ui_choice(v->gui, label, &now, words, count) && now >= 0) view_set(v, s->name, words[now]);
}

static void show_control(view *v, const setting *s, const char *text) {
    char value[128], label[600];
    snprintf(label, sizeof label, "##%s", s->name);
    snprintf(value, sizeof value, "%s", text);
    bool on = strcmp(text, "true") == 0 || strcmp(text, "yes") == 0;
    switch (s->row->type) {
    case FIRN_PARAM_BOOL:
        if (ui_toggle(v->gui, label, &on)) view_set(v, s->name, on ? "true" : "false");
        break;
    case FIRN_PARAM_INT:
    case FIRN_PARAM_REAL:
    case FIRN_PARAM_VEC3: show_number(v, s, text); break;
    case FIRN_PARAM_CHOICE:
    case FIRN_PARAM_WORD: show_choice(v, s, text); break;
    default:
        ui_width(194);
        if (ui_field(v->gui, label, value, sizeof value)) view_set(v, s->name, value);
    }
}

// What it does, in which unit and range, and what the file says.
static void show_help(const setting *s) {
    const firn_param_row *row = s->row;
    char text[1200], number[2][64] = {"", ""};
    bool real = row->type == FIRN_PARAM_REAL || row->type == FIRN_PARAM_INT;
    bool limited = real && row->max > row->min;
    const char *unit = real || row->type == FIRN_PARAM_VEC3 ? firn_dimension_unit(row->unit) : "";
    const double ends[2] = {row->min, row->max};
    for (int i = 0; i < 2 && limited; i++)
        snprintf(number[i], sizeof number[i], isfinite(ends[i]) ? "%.6g%s%s" : "any", ends[i],
                 unit[0] ? " " : "", unit);
    int length = snprintf(text, sizeof text, "%s%s", s->name, row->help ? ": " : "");
    length += snprintf(text + length, sizeof text - (size_t)length, "%.700s", row->help ? row->help : "");
    if (limited)
        length += snprintf(text + length, sizeof text - (size_t)length, "\n%s .. %s", number[0], number[1]);
    else if (unit[0])
        length += snprintf(text + length, sizeof text - (size_t)length, "\nin %s", unit);
    if (s->base[0]) snprintf(text + length, sizeof text - (size_t)length, "\nthe file says %s", s->base);
    ui_help(text);
}

static void show_setting(view *v, const setting *s, const char *name) {
    const pending *p = view_pending(v, s->name);
    bool changed = p || setting_changed(s);
    show_control(v, s, p ? p->text : s->text);
    ui_same_line(206);
    if (changed)
        ui_text_marked(name);
    else
        ui_text(name);
    char label[600];
    snprintf(label, sizeof label, "help %s", s->name);
    ui_place(v->gui, label);
    show_help(s);
    if (!s->row->live) {
        ui_same_line(0);
        ui_text_dim(p ? "(restart!)" : "(restart)");
        ui_help("Applies when the scene starts again: r");
    }
    if (!changed) return;
    snprintf(label, sizeof label, "x##reset %s", s->name);
    ui_same_line(0);
    if (ui_button(v->gui, label)) view_reset(v, s->name);
    ui_help(s->base[0] ? s->base : "as the file says");
}

void panel_setting(view *v, const char *name) {
    const setting *s = settings_find(&v->settings, name);
    if (s) show_setting(v, s, strchr(name, '.') + 1);
}

static bool wanted(const view *v, const setting *s) {
    if (!s->text[0] && s->row->type != FIRN_PARAM_TEXT && s->row->type != FIRN_PARAM_WORD) return false;
    if (v->changed_only && !setting_changed(s) && !view_pending(v, s->name)) return false;
    return !v->search[0] || strcasestr(s->name, v->search) ||
           (s->row->help && strcasestr(s->row->help, v->search));
}

// One section for each part of the scene: "mpm", "bodies", "wind".
static void show_sections(view *v) {
    const settings *all = &v->settings;
    for (size_t i = 0; i < all->count;) {
        const char *name = all->item[i].name;
        size_t length = strcspn(name, "."), end = i, found = 0;
        for (; end < all->count && strncmp(all->item[end].name, name, length) == 0 &&
               (all->item[end].name[length] == '.' || !all->item[end].name[length]);
             end++)
            found += wanted(v, &all->item[end]);
        char title[160];
        bool alone = !name[length];
        snprintf(title, sizeof title, "%.*s (%zu)###section %.*s", (int)length, name, found, (int)length,
                 name);
        bool open = found > 0 && (alone || ui_section(v->gui, title, v->search[0] || v->changed_only));
        for (size_t k = i; k < end && open; k++)
            if (wanted(v, &all->item[k]))
                show_setting(v, &all->item[k], all->item[k].name + (alone ? 0 : length + 1));
        i = end;
    }
}

void panel_parameters(view *v) {
    if (ui_window(v->gui, "Parameters", 8, 8, 400, 0.5 * v->height - 8, &v->config.parameters)) {
        ui_width(150);
        ui_search(v->gui, "search##parameters", v->search, sizeof v->search);
        ui_same_line(0);
        ui_toggle(v->gui, "changed", &v->changed_only);
        ui_width(190);
        ui_field(v->gui, "##save as", v->save_as, sizeof v->save_as);
        ui_same_line(0);
        if (ui_button(v->gui, "Save as scene") && v->save_as[0]) view_save_scene(v, v->save_as);
        ui_help("Writes a scene that names this one as its base and holds only what differs.");
        ui_same_line(0);
        if (ui_button(v->gui, "Load") && v->save_as[0]) view_drop(v, v->save_as);
        ui_help("Opens the scene of this name, such as one that was saved.");
        if (v->pending_count > 0) {
            ui_text_marked("Some changes wait for a restart");
            ui_same_line(0);
            if (ui_button(v->gui, "Restart##now")) view_restart(v);
        }
        ui_scroll_box("settings", 0);
        show_sections(v);
        ui_scroll_box_end();
    }
    ui_window_end();
}
