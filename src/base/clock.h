// Wall time, and the time spent in the named passes of a step.
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

double clock_seconds(void); // monotonic

// A step names its passes in order: profile_pass(&p, "P2G") ends the previous pass and starts
// the next, profile_end(&p) ends the last. Names are literals. The time of those beyond PROFILE_PASSES is
// added up in the last, as "other passes".
enum { PROFILE_PASSES = 24 };
typedef struct firn_profile {
    const char *name[PROFILE_PASSES];
    double seconds[PROFILE_PASSES];
    int count, current;
    double started;
} profile;
void profile_pass(profile *p, const char *name);
void profile_end(profile *p);

#endif
