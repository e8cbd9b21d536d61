// The one table of what is filled with snow, grains or water, in all models.
#include "body/place_rows.h"

const char *const fill_patterns[] = {"regular", "jittered", "blue_noise", NULL};

static const param_row rows[] = {
    SHAPE_ROW(firn_fill_def, "box", "any closed shape or mesh: a word, or {word: {its parameters}}"),
    AT_ROW(firn_fill_def, "position of the shape's origin"),
    ROTATE_ROW(firn_fill_def),
    SCALE_ROW(firn_fill_def),
    {0},
};

static void check_fill(const void *item, param_report *report) {
    if (((const firn_fill_def *)item)->shape.kind == FIRN_SHAPE_PLANE)
        report->add(report, "shape", "a plane is infinite and cannot be filled; use a box");
}

const param_table fill_params =
    TABLE_OF(firn_fill_def, "fill", "a shape that is filled, and its pose", rows, .check = check_fill);
const param_table region_params = TABLE_OF(firn_fill_def, "region", "a shape, and its pose", rows);

DEFAULT_OF(firn_fill_def, fill_params)

void check_times(double start, double end, param_report *report) {
    if (end <= start) report->add(report, "end", "must be later than start");
}
