// Parts of `firn reproduce field11`.
#ifndef APPS_REPRODUCE_FIELD11_H
#define APPS_REPRODUCE_FIELD11_H

#include "reproduce.h"

int field11_examples(reproduction *r); // appendix A, figure 3.10

#endif
