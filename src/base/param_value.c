// Parsing of single values of a file, and their error messages.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/color.h"
#include "base/param.h"
#include "base/param_range.h"

void param_fault_free(param_fault *fault) {
    text_free(&fault->why);
    text_free(&fault->hint);
}

static const char *article(const char *noun) { return strchr("aeiou", noun[0]) ? "an" : "a"; }

void param_words_add(text *t, const char *const *words) {
    for (size_t i = 0; words[i]; i++) text_add(t, i ? ", %s" : "%s", words[i]);
}

void param_nearest_add(text *t, const char *word, const char *const *words) {
    size_t n = 0;
    while (words[n]) n++;
    const char *nearest = word_nearest(word, words, n);
    if (nearest)
        text_add(t, "did you mean '%s'?", nearest);
    else if (n) {
        text_add(t, "allowed: ");
        param_words_add(t, words);
    }
}

bool param_is_auto(const param_row *row, double value) {
    return firn_is_auto(value) && text_equal(row->fallback, "auto");
}

static bool is_default(const param_row *row, double value) {
    double fallback;
    dimension found;
    const char *unit;
    if (param_is_auto(row, value)) return true;
    if (!row->fallback || (row->type != PARAM_REAL && row->type != PARAM_INT)) return false;
    return quantity_read(row->fallback, row->unit, &fallback, &found, &unit) == QUANTITY_OK &&
           fallback == value;
}

static void limits(const param_row *row, double *low, double *high) {
    bool none = row->min == 0 && row->max == 0;
    *low = none ? -INFINITY : row->min;
    *high = none ? INFINITY : row->max;
    if (none && row->type == PARAM_COLOR) *low = 0, *high = 1;
}

void param_range_add(text *t, const param_row *row) {
    double low, high;
    limits(row, &low, &high);
    if (low == high) {
        quantity_write(t, low, row->unit);
    } else if (isfinite(low) && isfinite(high)) {
        quantity_write(t, low, row->unit);
        text_add(t, " .. ");
        quantity_write(t, high, row->unit);
    } else if (isfinite(low)) {
        text_add(t, "at least ");
        quantity_write(t, low, row->unit);
    } else if (isfinite(high)) {
        text_add(t, "at most ");
        quantity_write(t, high, row->unit);
    }
}

static bool within_limits(const param_row *row, const char *path, const char *shown, double value,
                          param_fault *fault) {
    double low, high;
    limits(row, &low, &high);
    if (value >= low && value <= high) return true;
    text_add(&fault->why, "%s must be ", path);
    param_range_add(&fault->why, row);
    if (low == high)
        text_add(&fault->why, ", not %.80s", shown);
    else
        text_add(&fault->why, "; %.80s is too %s", shown, value < low ? "small" : "large");
    if (row->range_note) text_add(&fault->why, " (%s)", row->range_note);
    return false;
}

bool param_in_range(const param_row *row, const char *path, const char *shown, double value,
                    param_fault *fault) {
    return is_default(row, value) || within_limits(row, path, shown, value, fault);
}

static void expects(const param_row *row, text *t) {
    const char *units = dimension_units(row->unit);
    if (row->unit == DIM_NONE)
        text_add(t, "a number is written like 0.5 or 1e-3");
    else
        text_add(t, "write it in %s; a bare number is in %s", units, dimension_unit(row->unit));
}

static void unknown_unit(const param_row *row, const char *path, const char *unit, param_fault *fault) {
    const char *name = dimension_name(row->unit);
    if (unit[0] == ',') {
        text_add(&fault->why, "%s is %s %s; '%.80s' is not part of a number", path, article(name), name,
                 unit);
        text_add(&fault->hint, "write a decimal point, as in 0.5");
        return;
    }
    text_add(&fault->why, "%s is %s %s; '%.80s' is not a known unit", path, article(name), name, unit);
    char all[128];
    const char *words[16] = {0};
    size_t n = 0;
    snprintf(all, sizeof all, "%s", dimension_units(row->unit));
    for (char *rest = NULL, *w = strtok_r(all, ", ", &rest); w && n < 15; w = strtok_r(NULL, ", ", &rest))
        words[n++] = w;
    const char *nearest = row->unit == DIM_NONE ? NULL : word_nearest(unit, words, n);
    if (nearest)
        text_add(&fault->hint, "did you mean '%s'?", nearest);
    else
        expects(row, &fault->hint);
}

static bool read_quantity(const param_row *row, const char *path, const char *written, double *value,
                          param_fault *fault) {
    dimension found = row->unit;
    const char *unit = "", *name = dimension_name(row->unit);
    switch (quantity_read(written, row->unit, value, &found, &unit)) {
    case QUANTITY_OK: return true;
    case QUANTITY_NOT_A_NUMBER:
        text_add(&fault->why, "%s is %s %s; '%.80s' is not a number", path, article(name), name, written);
        expects(row, &fault->hint);
        break;
    case QUANTITY_UNKNOWN_UNIT: unknown_unit(row, path, unit, fault); break;
    case QUANTITY_WRONG_DIMENSION: {
        const char *other = dimension_name(found);
        text_add(&fault->why, "%s is %s %s; '%.80s' is %s %s", path, article(name), name, written,
                 article(other), other);
        expects(row, &fault->hint);
        break;
    }
    }
    return false;
}

bool param_read_component(const param_row *row, const char *path, const char *written, double *value,
                          param_fault *fault) {
    if (!read_quantity(row, path, written, value, fault)) return false;
    return param_in_range(row, path, written, *value, fault);
}

static bool read_bool(const char *path, const char *written, bool *out, param_fault *fault) {
    static const char *const yes[] = {"true", "yes", "on"}, *const no[] = {"false", "no", "off"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(written, yes[i]) == 0) return *out = true;
        if (strcmp(written, no[i]) == 0) return *out = false, true;
    }
    text_add(&fault->why, "%s must be true or false, not '%.80s'", path, written);
    return false;
}

static bool read_int(const param_row *row, const char *path, const char *written, int32_t *out,
                     param_fault *fault) {
    double value = 0.5;
    dimension found;
    const char *unit;
    if (quantity_read(written, row->unit, &value, &found, &unit) != QUANTITY_OK || value != floor(value)) {
        text_add(&fault->why, "%s must be a whole number, not '%.80s'", path, written);
        return false;
    }
    if (!param_in_range(row, path, written, value, fault)) return false;
    if (value < INT32_MIN || value > INT32_MAX) {
        text_add(&fault->why, "%s must be -2147483648 .. 2147483647; %.80s does not fit", path, written);
        return false;
    }
    *out = (int32_t)value;
    return true;
}

static bool read_choice(const param_row *row, const char *path, const char *written, int *out,
                        param_fault *fault) {
    for (int i = 0; row->choices[i]; i++)
        if (strcmp(row->choices[i], written) == 0) return *out = i, true;
    text_add(&fault->why, "%s: invalid value '%.80s'; allowed: ", path, written);
    param_words_add(&fault->why, row->choices);
    const char *nearest = word_nearest(written, row->choices, param_choice_count(row));
    if (nearest) text_add(&fault->hint, "did you mean '%s'?", nearest);
    return false;
}

static const char *find_word(const char *const *words, const char *written) {
    for (; words && *words; words++)
        if (strcmp(*words, written) == 0) return *words;
    return NULL;
}

bool param_read_word(const param_row *row, const char *path, const char *written, const char *const *own,
                     const char **out, param_fault *fault) {
    const char *const *words = row->words();
    const char *known = find_word(words, written);
    *out = known ? known : find_word(own, written);
    if (*out) return true;
    text_add(&fault->why, "%s: invalid value '%.80s'; known: ", path, written);
    param_words_add(&fault->why, words);
    size_t n = 0, more = 0;
    while (words[n]) n++;
    while (own && own[more]) more++;
    if (more) text_add(&fault->why, ", ");
    if (more) param_words_add(&fault->why, own);
    const char *nearest = word_nearest(written, words, n);
    if (more && !nearest) nearest = word_nearest(written, own, more);
    if (nearest) text_add(&fault->hint, "did you mean '%s'?", nearest);
    return false;
}

static bool read_color(const char *path, const char *written, firn_vec3 *out, param_fault *fault) {
    if (color_read(written, out)) return true;
    text_add(&fault->why, "%s is a colour; '%.80s' is not one", path, written);
    const char *const *names = color_names();
    size_t n = 0;
    while (names[n]) n++;
    const char *nearest = written[0] == '#' ? NULL : word_nearest(written, names, n);
    if (nearest)
        text_add(&fault->hint, "did you mean '%s'?", nearest);
    else
        text_add(&fault->hint,
                 "write [r, g, b] with numbers 0 .. 1, \"#rrggbb\" in quotes, or a name such as red");
    return false;
}

bool param_read(const param_row *row, const char *path, const char *written, void *at, param_fault *fault) {
    bool automatic = text_equal(row->fallback, "auto") && strcmp(written, "auto") == 0;
    switch (row->type) {
    case PARAM_BOOL: return read_bool(path, written, at, fault);
    case PARAM_INT: return read_int(row, path, written, at, fault);
    case PARAM_REAL:
        if (automatic) return *(double *)at = FIRN_AUTO, true;
        return param_read_component(row, path, written, at, fault);
    case PARAM_CHOICE: return read_choice(row, path, written, at, fault);
    case PARAM_WORD: return param_read_word(row, path, written, NULL, at, fault);
    case PARAM_TEXT:
    case PARAM_FILE: return *(const char **)at = written, true;
    case PARAM_COLOR:
    case PARAM_VEC3:
        if (automatic) return *(firn_vec3 *)at = AUTO_COLOR, true;
        if (row->type == PARAM_COLOR) return read_color(path, written, at, fault);
        text_add(&fault->why, "%s must be three numbers [x, y, z], not '%.80s'", path, written);
        return false;
    default:
        text_add(&fault->why, "%s must be a map or a list, not the single value '%.80s'", path, written);
        return false;
    }
}

static bool read_vector(const param_row *row, const char *path, const char *written, firn_vec3 *out,
                        param_fault *fault) {
    char part[64];
    double v[3] = {0};
    const char *c = written + strspn(written, "[ ");
    for (int i = 0; i < 3; i++) {
        size_t length = strcspn(c, ",]");
        if (length >= sizeof part || c[length] != (i < 2 ? ',' : ']')) {
            text_add(&fault->why, "%s must be three numbers [x, y, z], not '%.80s'", path, written);
            return false;
        }
        memcpy(part, c, length);
        part[length] = 0;
        if (!param_read_component(row, path, part, &v[i], fault)) return false;
        c += length + 1;
        c += strspn(c, " ");
    }
    *out = (firn_vec3){v[0], v[1], v[2]};
    return true;
}

bool param_read_value(const param_row *row, const char *path, const char *written, void *at,
                      param_fault *fault) {
    bool vector = row->type == PARAM_VEC3 || row->type == PARAM_COLOR;
    if (vector && written[strspn(written, " ")] == '[') return read_vector(row, path, written, at, fault);
    return param_read(row, path, written, at, fault);
}

static void write_number(text *t, const param_row *row, double value) {
    if (param_is_auto(row, value))
        text_add(t, "auto");
    else
        quantity_write(t, value, row->unit);
}

void param_write_value(text *t, const param_row *row, const void *at) {
    switch (row->type) {
    case PARAM_BOOL: text_add(t, *(const bool *)at ? "true" : "false"); break;
    case PARAM_INT: text_add(t, "%d", *(const int32_t *)at); break;
    case PARAM_REAL: write_number(t, row, *(const double *)at); break;
    case PARAM_VEC3:
    case PARAM_COLOR: {
        const firn_vec3 *v = at;
        if (param_is_auto(row, v->x)) {
            text_add(t, "auto");
            break;
        }
        const double part[3] = {v->x, v->y, v->z};
        for (int i = 0; i < 3; i++) {
            text_add(t, i ? ", " : "[");
            if (memcmp(&part[i], &(double){0}, sizeof part[i]) == 0)
                text_add(t, "0");
            else
                quantity_write(t, part[i], row->unit);
        }
        text_add(t, "]");
        break;
    }
    case PARAM_CHOICE: text_add(t, "%s", row->choices[*(const int *)at]); break;
    default: {
        const char *word = *(const char *const *)at;
        text_add(t, "%s", word ? word : "");
        break;
    }
    }
}

firn_vec3 param_get_number(const param_row *row, const void *at) {
    switch (row->type) {
    case PARAM_BOOL: return (firn_vec3){.x = *(const bool *)at};
    case PARAM_INT: return (firn_vec3){.x = *(const int32_t *)at};
    case PARAM_REAL: return (firn_vec3){.x = *(const double *)at};
    case PARAM_CHOICE: return (firn_vec3){.x = *(const int *)at};
    default: return *(const firn_vec3 *)at;
    }
}

void param_set_number(const param_row *row, void *at, firn_vec3 value) {
    switch (row->type) {
    case PARAM_BOOL: *(bool *)at = value.x != 0; break;
    case PARAM_INT: *(int32_t *)at = (int32_t)value.x; break;
    case PARAM_REAL: *(double *)at = value.x; break;
    case PARAM_CHOICE: *(int *)at = (int)value.x; break;
    default: *(firn_vec3 *)at = value; break;
    }
}
