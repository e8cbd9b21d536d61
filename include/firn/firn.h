/* firn: an open snow engine. docs/embedding.md shows how to use this from C. */
#ifndef FIRN_H
#define FIRN_H

#include <firn/base.h>
#include <firn/defs.h>
#include <firn/world.h>
#include <firn/mesh.h>
#include <firn/snowfield.h>
#include <firn/query.h>
#include <firn/events.h>
#include <firn/surface.h>
#include <firn/scene.h>
#include <firn/run.h>
#include <firn/ranks.h>
#include <firn/draw.h>
#include <firn/model.h>
#include <firn/constraint.h>

#endif
