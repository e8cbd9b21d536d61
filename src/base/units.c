// Dimensions and their units: parsing and writing of quantities.
#include "base/units.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"

static const struct {
    const char *name, *unit, *units;
} dimensions[DIM_COUNT_] = {
    [DIM_NONE] = {"pure number", "", "%"},
    [DIM_LENGTH] = {"length", "m", "m, cm, mm, km, um"},
    [DIM_TIME] = {"time", "s", "s, ms, us, min, h, d"},
    [DIM_MASS] = {"mass", "kg", "kg, g, mg, t"},
    [DIM_TEMPERATURE] = {"temperature", "C", "C, K, F"},
    [DIM_ANGLE] = {"angle", "rad", "rad, deg, turn"},
    [DIM_VELOCITY] = {"velocity", "m/s", "m/s, cm/s, mm/s, km/h"},
    [DIM_ACCELERATION] = {"acceleration", "m/s2", "m/s2, cm/s2"},
    [DIM_SPIN] = {"spin", "rad/s", "rad/s, deg/s, turn/s, rpm"},
    [DIM_DENSITY] = {"density", "kg/m3", "kg/m3, g/cm3"},
    [DIM_PRESSURE] = {"pressure", "Pa", "Pa, hPa, kPa, MPa, GPa"},
    [DIM_FORCE] = {"force", "N", "N, mN, kN"},
    [DIM_FREQUENCY] = {"frequency", "1/s", "1/s, Hz, kHz, 1/min, 1/h"},
    [DIM_STIFFNESS] = {"stiffness", "N/m", "N/m, kN/m, MN/m"},
    [DIM_PRECIPITATION] = {"precipitation", "m/s", "m/s, mm/h, cm/h, mm/d"},
    [DIM_CONDUCTIVITY] = {"conductivity", "W/mK", "W/mK"},
    [DIM_HEAT_CAPACITY] = {"heat capacity", "J/kgK", "J/kgK, kJ/kgK"},
    [DIM_HEAT] = {"heat", "J/kg", "J/kg, kJ/kg"},
    [DIM_HEAT_EXCHANGE] = {"heat exchange", "W/m2K", "W/m2K"},
    [DIM_VISCOSITY] = {"viscosity", "Pa s", "Pa s, mPa s"},
};

// SI = (written + shift) * times / over. Powers of ten that are not exact in binary stand in `over`, so that
// "7 cm" is the double nearest to 0.07. Units that differ only in spelling follow the one we write ourselves.
typedef struct unit {
    dimension d;
    const char *name;
    double times, over, shift;
    bool written; // quantity_write may choose it
} unit;

#define PI 3.14159265358979323846
static const unit units[] = {
    {DIM_NONE, "%", 1, 100, 0, false},
    {DIM_LENGTH, "m", 1, 1, 0, true},
    {DIM_LENGTH, "cm", 1, 100, 0, true},
    {DIM_LENGTH, "mm", 1, 1000, 0, true},
    {DIM_LENGTH, "km", 1000, 1, 0, true},
    {DIM_LENGTH, "um", 1, 1e6, 0, true},
    {DIM_TIME, "s", 1, 1, 0, true},
    {DIM_TIME, "ms", 1, 1000, 0, true},
    {DIM_TIME, "us", 1, 1e6, 0, true},
    {DIM_TIME, "min", 60, 1, 0, true},
    {DIM_TIME, "h", 3600, 1, 0, true},
    {DIM_TIME, "d", 86400, 1, 0, true},
    {DIM_MASS, "kg", 1, 1, 0, true},
    {DIM_MASS, "g", 1, 1000, 0, true},
    {DIM_MASS, "mg", 1, 1e6, 0, true},
    {DIM_MASS, "t", 1000, 1, 0, true},
    {DIM_TEMPERATURE, "C", 1, 1, 0, true},
    {DIM_TEMPERATURE, "degC", 1, 1, 0, false},
    {DIM_TEMPERATURE, "K", 1, 1, -273.15, false},
    {DIM_TEMPERATURE, "F", 5, 9, -32, false},
    {DIM_TEMPERATURE, "degF", 5, 9, -32, false},
    {DIM_ANGLE, "rad", 1, 1, 0, true},
    {DIM_ANGLE, "deg", PI, 180, 0, true},
    {DIM_ANGLE, "turn", 2 * PI, 1, 0, false},
    {DIM_VELOCITY, "m/s", 1, 1, 0, true},
    {DIM_VELOCITY, "cm/s", 1, 100, 0, true},
    {DIM_VELOCITY, "mm/s", 1, 1000, 0, true},
    {DIM_VELOCITY, "km/h", 5, 18, 0, false},
    {DIM_ACCELERATION, "m/s2", 1, 1, 0, true},
    {DIM_ACCELERATION, "cm/s2", 1, 100, 0, false},
    {DIM_SPIN, "rad/s", 1, 1, 0, true},
    {DIM_SPIN, "deg/s", PI, 180, 0, true},
    {DIM_SPIN, "turn/s", 2 * PI, 1, 0, true},
    {DIM_SPIN, "rpm", PI, 30, 0, false},
    {DIM_DENSITY, "kg/m3", 1, 1, 0, true},
    {DIM_DENSITY, "g/cm3", 1000, 1, 0, false},
    {DIM_PRESSURE, "Pa", 1, 1, 0, true},
    {DIM_PRESSURE, "hPa", 100, 1, 0, false},
    {DIM_PRESSURE, "kPa", 1000, 1, 0, true},
    {DIM_PRESSURE, "MPa", 1e6, 1, 0, true},
    {DIM_PRESSURE, "GPa", 1e9, 1, 0, true},
    {DIM_FORCE, "N", 1, 1, 0, true},
    {DIM_FORCE, "mN", 1, 1000, 0, true},
    {DIM_FORCE, "kN", 1000, 1, 0, true},
    {DIM_STIFFNESS, "N/m", 1, 1, 0, true},
    {DIM_STIFFNESS, "kN/m", 1000, 1, 0, true},
    {DIM_STIFFNESS, "MN/m", 1e6, 1, 0, true},
    {DIM_FREQUENCY, "1/s", 1, 1, 0, true},
    {DIM_FREQUENCY, "/s", 1, 1, 0, false},
    {DIM_FREQUENCY, "Hz", 1, 1, 0, false},
    {DIM_FREQUENCY, "kHz", 1000, 1, 0, false},
    {DIM_FREQUENCY, "1/min", 1, 60, 0, false},
    {DIM_FREQUENCY, "1/h", 1, 3600, 0, false},
    {DIM_PRECIPITATION, "m/s", 1, 1, 0, true},
    {DIM_PRECIPITATION, "mm/h", 1, 3.6e6, 0, true},
    {DIM_PRECIPITATION, "cm/h", 1, 3.6e5, 0, false},
    {DIM_PRECIPITATION, "mm/d", 1, 8.64e7, 0, false},
    {DIM_CONDUCTIVITY, "W/mK", 1, 1, 0, true},
    {DIM_HEAT_CAPACITY, "J/kgK", 1, 1, 0, true},
    {DIM_HEAT_CAPACITY, "kJ/kgK", 1000, 1, 0, false},
    {DIM_HEAT, "J/kg", 1, 1, 0, true},
    {DIM_HEAT, "kJ/kg", 1000, 1, 0, true},
    {DIM_HEAT_EXCHANGE, "W/m2K", 1, 1, 0, true},
    {DIM_VISCOSITY, "Pa s", 1, 1, 0, true},
    {DIM_VISCOSITY, "mPa s", 1, 1000, 0, true},
};
enum { UNITS = sizeof units / sizeof units[0], LONGEST_UNIT = 15 };

const char *dimension_name(dimension d) { return dimensions[d].name; }
const char *dimension_unit(dimension d) { return dimensions[d].unit; }
const char *firn_dimension_unit(firn_dimension d) {
    return (unsigned)d < DIM_COUNT_ ? dimensions[d].unit : NULL;
}
const char *dimension_units(dimension d) { return dimensions[d].units; }

static double unit_to_si(const unit *u, double written) { return (written + u->shift) * u->times / u->over; }

// Normalises spelling: "m/s^2", "m / s²" -> "m/s2"; "°C" -> "degC"; "µm" -> "um".
// false: longer than any unit.
static bool unit_spelling(const char *written, char out[LONGEST_UNIT + 1]) {
    static const struct {
        const char *from, *to;
    } changes[] = {{"\u00b2", "2"},   {"\u00b3", "3"}, {"\u00b5", "u"}, {"\u03bc", "u"},
                   {"\u00b0", "deg"}, {"^", ""},       {" ", ""}};
    size_t n = 0;
    while (*written) {
        const char *add = NULL;
        size_t used = 1;
        for (size_t i = 0; i < sizeof changes / sizeof changes[0] && !add; i++) {
            size_t length = strlen(changes[i].from);
            if (strncmp(written, changes[i].from, length) == 0) add = changes[i].to, used = length;
        }
        char same[2] = {*written, 0};
        if (!add) add = same;
        if (n + strlen(add) > LONGEST_UNIT) return false;
        n += (size_t)snprintf(out + n, LONGEST_UNIT + 1 - n, "%s", add);
        written += used;
    }
    out[n] = 0;
    return true;
}

// Spaces do not count.
static bool is_spelling(const char *name, const char *spelling) {
    for (; *name; name++)
        if (*name != ' ' && *name != *spelling++) return false;
    return *spelling == '\0';
}

static const unit *unit_find(const char *spelling, dimension d) {
    for (size_t i = 0; i < UNITS; i++)
        if (units[i].d == d && is_spelling(units[i].name, spelling)) return &units[i];
    return NULL;
}

static const char *skip_digits(const char *c, size_t *digits) {
    while (isdigit((unsigned char)*c)) c++, ++*digits;
    return c;
}

// Where the number at `c` ends, or NULL if there is none. Our own grammar, because strtod also takes "0x1p3",
// "inf" and "nan".
static const char *number_end(const char *c) {
    size_t digits = 0;
    if (*c == '+' || *c == '-') c++;
    c = skip_digits(c, &digits);
    if (*c == '.') c = skip_digits(c + 1, &digits);
    if (!digits) return NULL;
    if (*c != 'e' && *c != 'E') return c;
    const char *exponent = c + 1;
    size_t exponent_digits = 0;
    if (*exponent == '+' || *exponent == '-') exponent++;
    exponent = skip_digits(exponent, &exponent_digits);
    return exponent_digits ? exponent : c;
}

quantity_problem quantity_read(const char *written, dimension d, double *value, dimension *found,
                               const char **unit_at) {
    while (*written == ' ' || *written == '\t') written++;
    const char *end = number_end(written);
    if (!end) return QUANTITY_NOT_A_NUMBER;
    double number = plain_read(written, NULL);
    const char *rest = end + strspn(end, " \t");
    if (*rest) {
        char spelling[LONGEST_UNIT + 1];
        bool fits = unit_spelling(rest, spelling);
        const unit *u = fits ? unit_find(spelling, d) : NULL;
        for (int other = 0; fits && !u && other < DIM_COUNT_; other++)
            if (unit_find(spelling, (dimension)other)) {
                *found = (dimension)other;
                return QUANTITY_WRONG_DIMENSION;
            }
        if (!u) {
            *unit_at = rest;
            return QUANTITY_UNKNOWN_UNIT;
        }
        number = unit_to_si(u, number);
    }
    if (!isfinite(number)) return QUANTITY_NOT_A_NUMBER;
    *value = number;
    return QUANTITY_OK;
}

enum { NUMBER_ROOM = 40 };

static bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

// The shortest decimal that reads back as the bits of `value` when followed by u; false if there is none.
static bool shortest_number(double value, const unit *u, char out[NUMBER_ROOM]) {
    double shown = value * u->over / u->times - u->shift;
    if (!isfinite(shown)) return false;
    int decade = shown == 0 ? 0 : (int)floor(log10(fabs(shown)));
    for (int digits = 1; digits <= 17; digits++) {
        int decimals = digits - 1 - decade;
        if (decade < -4 || decade > 6)
            plain_print(out, NUMBER_ROOM, "%.*g", digits, shown);
        else
            plain_print(out, NUMBER_ROOM, "%.*f", decimals > 0 ? decimals : 0, shown); // "600", not "6e+02"
        if (same_bits(unit_to_si(u, plain_read(out, NULL)), value)) return true;
    }
    return false;
}

// Reading cost of a number: lower is more readable.
static size_t effort(const char *number) { return strlen(number) + (strchr(number, 'e') ? 4 : 0); }

void quantity_write(text *t, double value, dimension d) {
    assert(isfinite(value));
    static const unit plain = {DIM_NONE, "", 1, 1, 0, true};
    const unit *best = &plain;
    char number[NUMBER_ROOM] = "", attempt[NUMBER_ROOM];
    for (size_t i = 0; i < UNITS; i++) {
        const unit *u = &units[i];
        if (u->d != d || !u->written || !shortest_number(value, u, attempt)) continue;
        if (number[0] && effort(attempt) >= effort(number)) continue;
        best = u;
        memcpy(number, attempt, sizeof number);
    }
    if (!number[0]) shortest_number(value, &plain, number); // 17 digits are always enough
    text_add(t, best->name[0] ? "%s %s" : "%s", number, best->name);
}
