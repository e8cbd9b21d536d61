// Parameters of what snow and water come from, and where they leave.
#include "phase/phase_params.h"

#include "math/dvec.h"
#include "pbd/pbd_params.h"
#include "snow/snow_type.h"

static const param_row snow_rows[] = {
    FILL_ROW(firn_phase_snow_def, fill),
    PATTERN_ROW(firn_phase_snow_def, "regular"),
    SNOW_ROW(firn_phase_snow_def, type, NULL, "snow type; packed if not given"),
    REAL_ROW(firn_phase_snow_def, density, DIM_DENSITY, "auto", 20, 917,
             "density of the snow; auto: that of the type"),
    PHASE_TEMPERATURE_ROW(firn_phase_snow_def, temperature, "-10 C",
                          "initial temperature, at most the melting point"),
    VELOCITY_ROW(firn_phase_snow_def),
    SPIN_ROW(firn_phase_snow_def),
    {0},
};

const param_table phase_snow_params =
    DEF_TABLE_OF(firn_phase_snow_def, "phase.snow", "snow that is there at the start, by name", snow_rows);

static const param_row water_rows[] = {
    FILL_ROW(firn_phase_water_def, fill),
    PATTERN_ROW(firn_phase_water_def, "regular"),
    PHASE_TEMPERATURE_ROW(firn_phase_water_def, temperature, "10 C",
                          "initial temperature, at least the freezing point"),
    VELOCITY_ROW(firn_phase_water_def),
    {0},
};

const param_table phase_water_params = DEF_TABLE_OF(firn_phase_water_def, "phase.water",
                                                    "water that is there at the start, by name", water_rows);

static const param_row spout_rows[] = {
    MERGE_ROW(firn_phase_spout_def, opening, &pbd_opening_params),
    PHASE_TEMPERATURE_ROW(firn_phase_spout_def, temperature, "10 C", "temperature of the water",
                          .live = true),
    {0},
};

const param_table phase_spout_params =
    DEF_TABLE_OF(firn_phase_spout_def, "phase.spouts", "round spouts that emit water, by name", spout_rows);

const param_table phase_drain_params = DEF_TABLE_OF(
    firn_pbd_drain_def, "phase.drains", "shapes that remove the snow and water inside them, by name",
    pbd_drain_rows, .check = pbd_check_drain);

DEFAULT_OF(firn_phase_snow_def, phase_snow_params)
DEFAULT_OF(firn_phase_water_def, phase_water_params)
DEFAULT_OF(firn_phase_spout_def, phase_spout_params)
