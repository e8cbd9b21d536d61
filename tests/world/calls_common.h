// What the rows of test_calls.c share: a small world, and how a call must refuse.
#ifndef WORLD_CALLS_COMMON_H
#define WORLD_CALLS_COMMON_H

#include "support.h"

#include <math.h>

#include "base/memory.h"

static firn_world *world; // one ground, no snow

// The call was refused, and a message says why.
static void refused(firn_status status) {
    assert_int_equal(status, FIRN_BAD_INPUT);
    assert_true(firn_last_error()[0] != 0);
}

// The message is new: each of the calls before it left another one.
static void says(const char *words) {
    if (!strstr(firn_last_error(), words))
        fail_msg("'%s' is not in the message: %s", words, firn_last_error());
}

static const firn_overrides none = {0}, null_items = {NULL, 1};
static const char *const null_item[] = {NULL};
static const firn_overrides null_override = {null_item, 1};
static const size_t beyond = SIZE_MAX;

#endif
