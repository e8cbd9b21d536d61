// `firn list`: one line for everything there is.
#include <string.h>

#include "body/model.h"
#include "scene/catalog.h"
#include "scene/explain_words.h"
#include "scene/scene.h"
#include "snow/snow_type.h"
#include "world/world.h"

static void list_snow(text *t) {
    size_t count;
    const snow_type *types = snow_types(&count);
    text_add(t, "Snow types (with their density in kg/m3)\n");
    for (size_t i = 0; i < count; i++)
        text_add(t, "  %-22s %-10g %s\n", types[i].name, types[i].density, types[i].character);
}

static void list_models(text *t) {
    size_t count;
    const model_class *const *classes = world_model_classes(&count);
    text_add(t, "\nModels\n");
    for (size_t i = 0; i < count; i++) text_add(t, "  %-22s %s\n", classes[i]->name, classes[i]->help);
}

static void list_shapes(text *t) {
    const param_row *shape = param_find(&scene_params, "bodies.shape", NULL);
    text_add(t, "\nShapes\n");
    for (const param_variant *v = shape->variants; v->name; v++)
        text_add(t, "  %-22s %s\n", v->name, v->help);
}

static void list_fields(text *t, const firn_world *world) {
    text_add(t, "\nFields\n");
    for (size_t i = 0; i < firn_world_field_count(world); i++) {
        firn_field f = firn_world_field_at(world, i);
        if (f.flags & FIRN_FIELD_SHOWN) text_add(t, "  %-22s %-10s %s\n", f.name, f.unit, f.help);
    }
}

firn_status firn_list(char **out) {
    *out = NULL;
    firn_world *world;
    TRY(explain_world(&world));
    text t = {0};
    list_snow(&t);
    list_models(&t);
    list_shapes(&t);
    list_fields(&t, world);
    firn_world_close(world);
    return text_take(&t, out);
}
