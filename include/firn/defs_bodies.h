/* firn: shapes and rigid bodies; see defs.h. */
#ifndef FIRN_DEFS_BODIES_H
#define FIRN_DEFS_BODIES_H

#include <firn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum firn_shape_kind {
    FIRN_SHAPE_PLANE,      /* everything below y = 0 of its own frame */
    FIRN_SHAPE_BOX,        /* size */
    FIRN_SHAPE_SPHERE,     /* radius */
    FIRN_SHAPE_ELLIPSOID,  /* radii */
    FIRN_SHAPE_CAPSULE,    /* radius, length between the centres of its caps, along y */
    FIRN_SHAPE_CYLINDER,   /* radius, length, along y */
    FIRN_SHAPE_HEIGHT_MAP, /* file (16-bit PNG), size: x, z extents and y height of white */
    FIRN_SHAPE_MESH,       /* file (OBJ, PLY, STL, glTF), scaled to height if height > 0 */
    FIRN_SHAPE_BINVOX,     /* file (.binvox v1), scaled to height if height > 0 */
    FIRN_SHAPE_UNION,      /* parts */
    FIRN_SHAPE_HARE,       /* height; generated */
    FIRN_SHAPE_SNOWMAN,    /* height; generated */
    FIRN_SHAPE_HOUSE,      /* height; generated */
    FIRN_SHAPE_LAMP_POST,  /* height; generated */
    FIRN_SHAPE_HILLS,      /* size, seed; generated uneven ground: smooth hills of height size.y */
    FIRN_SHAPE_TREE,       /* height, species, seed; generated */
    FIRN_SHAPE_ROCK,       /* height, seed; generated */
    FIRN_SHAPE_FENCE,      /* height, length, seed; generated, along x */
    FIRN_SHAPE_KINDS,
} firn_shape_kind;

typedef enum firn_tree_species {
    FIRN_TREE_CONIFER,  /* a spruce */
    FIRN_TREE_BROADLEAF /* without leaves, as in winter */
} firn_tree_species;

/* A shape in its own frame: primitives are centred on the origin; generated shapes, and meshes scaled to a
   height, stand on y = 0 with their centre above the origin. */
typedef struct firn_shape_def {
    firn_shape_kind kind;
    double radius;    /* m */
    double length;    /* m */
    double height;    /* m; 0: as in the file */
    firn_vec3 size;   /* m, full extents */
    firn_vec3 radii;  /* m */
    const char *file; /* path; relative paths start at the scene's folder */
    int32_t seed;     /* for generated shapes */
    firn_tree_species species;
    double resolution; /* m; cell of the sampled level set of meshes; 0: 1/48 of the largest
                          extent of files, 1/16 or 1/32 of generated shapes */
    struct {
        const struct firn_part_def *items;
        size_t count;
    } parts; /* for a union */
} firn_shape_def;
FIRN_API firn_shape_def firn_shape_def_default(void);

/* One member of a union: a shape and its pose. */
typedef struct firn_part_def {
    const char *name;
    uint32_t cookie; /* set by firn_part_def_default() */
    firn_shape_def shape;
    firn_vec3 at;     /* m */
    firn_vec3 rotate; /* rad; about x, then y, then z */
    double scale;
} firn_part_def;
FIRN_API firn_part_def firn_part_def_default(void);

/* A keyframe of a body or camera; positions and angles in between are smooth (Catmull-Rom); before the first
   and after the last keyframe it is at rest. */
typedef struct firn_keyframe {
    double time;      /* s */
    firn_vec3 at;     /* m */
    firn_vec3 rotate; /* rad; may exceed a full turn */
} firn_keyframe;

typedef enum firn_motion_kind {
    FIRN_MOTION_FIXED,
    FIRN_MOTION_DYNAMIC,
    FIRN_MOTION_KEYFRAMES,
    FIRN_MOTION_KINEMATIC /* moved by the program: firn_world_body_set_target */
} firn_motion_kind;

/* How a body moves. */
typedef struct firn_motion_def {
    firn_motion_kind kind;
    struct {
        const firn_keyframe *items;
        size_t count;
    } keyframes;
} firn_motion_def;
FIRN_API firn_motion_def firn_motion_def_default(void);

/* Boundary condition of a body for snow of the material point method. */
typedef enum firn_contact_kind {
    FIRN_CONTACT_FRICTION, /* Coulomb friction with the body's coefficient; separates freely */
    FIRN_CONTACT_SLIP,     /* free slip; separates freely */
    FIRN_CONTACT_STICKY    /* no slip: snow in contact stays on it */
} firn_contact_kind;

/* What a body looks like in pictures; nothing else depends on it. */
typedef enum firn_material {
    FIRN_MATERIAL_PAINT,
    FIRN_MATERIAL_WOOD,
    FIRN_MATERIAL_BRICK, /* slopes have tiles */
    FIRN_MATERIAL_STONE,
    FIRN_MATERIAL_BARK,
    FIRN_MATERIAL_CLOTH,
    FIRN_MATERIAL_METAL,
    FIRN_MATERIAL_NEEDLES, /* of conifers; bark around the axis of the body */
} firn_material;

typedef struct firn_body_def {
    const char *name;
    uint32_t cookie; /* set by firn_body_def_default() */
    firn_shape_def shape;
    firn_vec3 at;     /* m */
    firn_vec3 rotate; /* rad; about x, then y, then z */
    double scale;     /* > 0 */
    firn_motion_def motion;
    const char
        *snow; /* name of a snow type the body is made of, or NULL; gives density, friction, restitution */
    double density;     /* kg/m3, of the shape's volume; auto: from snow, or 600 */
    double friction;    /* Coulomb coefficient, >= 0; auto: from snow, or 0.5; a pair of bodies takes the
                           geometric mean */
    double restitution; /* 0 (no bounce) .. 1 (elastic); auto: from snow, or 0.1; a pair takes the larger */
    double rolling_friction; /* rolling resistance: its torque over normal force and radius; auto: 0.1
                                friction; a pair takes the geometric mean */
    firn_contact_kind contact;
    double temperature;  /* degrees Celsius, constant whatever is in contact with it; auto: insulated */
    double heat_contact; /* W/m2K, heat transfer coefficient of its surface; auto: perfect contact */
    firn_vec3 velocity;  /* m/s, at the start, of dynamic bodies */
    firn_vec3 spin;      /* rad/s, at the start, of dynamic bodies */
    firn_vec3 color;     /* linear RGB 0..1; auto: of the material, or chosen from the name */
    firn_material material;
} firn_body_def;
FIRN_API firn_body_def firn_body_def_default(void);

/* How the items of a fill are placed. */
typedef enum firn_fill_pattern {
    FIRN_FILL_REGULAR,
    FIRN_FILL_JITTERED,
    FIRN_FILL_BLUE_NOISE
} firn_fill_pattern;

/* The region that a model fills: a shape and its pose. */
typedef struct firn_fill_def {
    firn_shape_def shape;
    firn_vec3 at;     /* m */
    firn_vec3 rotate; /* rad */
    double scale;
} firn_fill_def;
FIRN_API firn_fill_def firn_fill_def_default(void);

#ifdef __cplusplus
}
#endif
#endif
