// Numbers of the world over time, for plots: ledgers, time series, ms per step of each model and pass.
#ifndef VIEW_HISTORY_H
#define VIEW_HISTORY_H

#include <firn/firn.h>

enum { HISTORY_POINTS = 600 };

typedef struct history_row {
    char group[32], name[96], unit[16];
    float value[HISTORY_POINTS];
} history_row;

typedef struct history history;
history *history_create(void);  // NULL: no memory
void history_free(history *h);  // NULL is fine
void history_clear(history *h); // before another world
// The values of now; beyond HISTORY_POINTS every second older one is dropped.
void history_sample(history *h, const firn_world *world);
void history_cut(history *h, double time); // forgets what is after a time
// Calls see for every row, with as many points as there are, from the thread of the window.
void history_each(history *h,
                  void (*see)(void *context, const history_row *row, const float *time, int points),
                  void *context);

#endif
