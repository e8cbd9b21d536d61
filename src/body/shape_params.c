// Parameter tables of `shape:`, one per kind, so that each kind lists only its own keys.
#include "body/body.h"

#include "body/place_rows.h"
#include "geom/proc.h"

// A length of a shape: a tenth of a millimetre to a hundred kilometres.
#define LENGTH(member, start, text)                                                                          \
    REAL_ROW(firn_shape_def, member, DIM_LENGTH, start, 1e-4, 1e5, text, .range_note = LENGTH_NOTE)
#define LENGTHS(member, start, text)                                                                         \
    VEC3_ROW(firn_shape_def, member, DIM_LENGTH, start, 1e-4, 1e5, text, .range_note = LENGTH_NOTE)
#define LENGTH_NOTE "a shape is between 0.1 mm and 100 km large"
#define HEIGHT_IN_FILE(text) REAL_ROW(firn_shape_def, height, DIM_LENGTH, "0", 0, 1e5, text)
#define RESOLUTION                                                                                           \
    REAL_ROW(firn_shape_def, resolution, DIM_LENGTH, "0", 0, 1e3,                                            \
             "cell of the signed distance field that is used for contacts; 0: chosen for the shape, 1/48 "   \
             "of the largest extent for files")
#define SEED(text) INT_ROW(firn_shape_def, seed, "1", 0, 2147483647, text)
#define SOURCE(text) FILE_ROW(firn_shape_def, file, text, .required = true)
#define TABLE(word, text, list) TABLE_OF(firn_shape_def, "bodies.shape." word, text, list)

static const char plane_help[] = "everything below y = 0 of its own frame; use rotate for a slope";
static const char box_help[] = "a box centred on its origin";
static const char sphere_help[] = "a sphere centred on its origin";
static const char ellipsoid_help[] = "a sphere stretched along its axes";
static const char capsule_help[] = "a rod along y with round caps";
static const char cylinder_help[] = "a cylinder along y, centred on its origin";
static const char height_map_help[] = "ground from a grey picture: black is y = 0, white is size.y";
static const char mesh_help[] = "a closed triangle mesh from a file (OBJ, PLY, STL, OFF, glTF, 3DS, Collada)";
static const char binvox_help[] = "solid voxels from a .binvox file, smoothed";
static const char union_help[] = "several shapes as one body; each part has a name and a position";
static const char hare_help[] = "a sitting hare, generated; stands on y = 0";
static const char snowman_help[] = "three snowballs with nose and hat, generated; stands on y = 0";
static const char house_help[] = "a small house with roof and chimney, generated; stands on y = 0";
static const char lamp_post_help[] = "a street lamp, generated; stands on y = 0";
static const char tree_help[] = "a tree, generated: a spruce or a bare broadleaf tree; stands on y = 0";
static const char rock_help[] = "a boulder with worn edges, generated; stands on y = 0";
static const char fence_help[] =
    "a garden fence along x with posts, rails and pickets, generated; stands on y = 0";
static const char hills_help[] = "uneven ground, generated: smooth hills between y = 0 and size.y";

static const param_row box_rows[] = {
    LENGTHS(size, "[1 m, 1 m, 1 m]", "edge lengths along x, y and z"),
    {0},
};
static const param_row sphere_rows[] = {
    LENGTH(radius, "50 cm", "distance from the centre to the surface"),
    {0},
};
static const param_row ellipsoid_rows[] = {
    LENGTHS(radii, "[60 cm, 40 cm, 50 cm]", "half axes along x, y and z"),
    {0},
};
static const param_row capsule_rows[] = {
    LENGTH(radius, "20 cm", "radius of the rod and its caps"),
    LENGTH(length, "60 cm", "distance between the centres of the caps; the whole is 2 radii longer"),
    {0},
};
static const param_row cylinder_rows[] = {
    LENGTH(radius, "30 cm", "radius of the round side"),
    LENGTH(length, "1 m", "length along y"),
    {0},
};
static const param_row height_map_rows[] = {
    SOURCE("grey PNG, 16 bit for smooth ground; its left edge is at -x, its top edge at -z"),
    LENGTHS(size, "[20 m, 2 m, 20 m]", "extents along x and z, and the height of white"),
    {0},
};
static const param_row mesh_rows[] = {
    SOURCE("the mesh; small holes and flipped triangles are tolerated with a warning"),
    HEIGHT_IN_FILE("scale the mesh to this height and stand it on y = 0; 0: as in the file"),
    RESOLUTION,
    {0},
};
static const param_row binvox_rows[] = {
    SOURCE("the .binvox file, version 1"),
    HEIGHT_IN_FILE("scale to this height and stand it on y = 0; 0: as in the file"),
    RESOLUTION,
    {0},
};
static const param_row hare_rows[] = {
    LENGTH(height, "1 m", "height from the paws to the tips of the ears"),
    SEED("another seed gives a slightly different hare"),
    RESOLUTION,
    {0},
};
static const param_row snowman_rows[] = {
    LENGTH(height, "1.8 m", "height from the ground to the top of the hat"),
    SEED("another seed gives a slightly different snowman"),
    RESOLUTION,
    {0},
};
static const param_row house_rows[] = {
    LENGTH(height, "5 m", "height from the ground to the top of the chimney"),
    SEED("another seed gives a slightly different house"),
    RESOLUTION,
    {0},
};
static const param_row lamp_post_rows[] = {
    LENGTH(height, "4 m", "height from the ground to the top of the lamp"),
    SEED("another seed gives a slightly different lamp"),
    RESOLUTION,
    {0},
};
static const char *const trees[] = {"conifer", "broadleaf", NULL};
static const param_row tree_rows[] = {
    LENGTH(height, "8 m", "height from the ground to the tip"),
    CHOICE_ROW(
        firn_shape_def, species, "conifer", trees,
        "conifer: a spruce with boughs in whorls; broadleaf: limbs, branches and twigs without leaves"),
    SEED("another seed gives another tree"),
    RESOLUTION,
    {0},
};
static const param_row rock_rows[] = {
    LENGTH(height, "80 cm", "height from the sole to the top; rocks are 0.9 to 1.6 times as wide"),
    SEED("another seed gives another rock"),
    RESOLUTION,
    {0},
};
static const param_row fence_rows[] = {
    LENGTH(height, "1.1 m", "height from the ground to the points of the pickets"),
    LENGTH(length, "4 m", "length along x, 0.5 to 40 times its height"),
    SEED("another seed gives other pickets; some are missing"),
    RESOLUTION,
    {0},
};
static const param_row hills_rows[] = {
    LENGTHS(size, "[20 m, 1.5 m, 20 m]", "extents along x and z, and the height of the highest hill"),
    SEED("another seed gives other hills"),
    {0},
};

static void check_parts(const void *item, param_report *report) {
    const firn_shape_def *shape = item;
    if (shape->parts.count == 0) report->add(report, "parts", "a union needs at least one part");
}

static void check_fence(const void *item, param_report *report) {
    const firn_shape_def *shape = item;
    if (!(shape->length >= FENCE_LEAST * shape->height && shape->length <= FENCE_MOST * shape->height))
        report->add(report, "length", "a fence is 0.5 to 40 times as long as high");
}

static const param_row part_rows[] = {
    SHAPE_ROW(firn_part_def, "box", "shape of the part"),
    AT_ROW(firn_part_def, "position of the part's origin in the union"),
    ROTATE_ROW(firn_part_def),
    SCALE_ROW(firn_part_def),
    {0},
};

static void check_part(const void *item, param_report *report) {
    const firn_part_def *part = item;
    if (part->shape.kind == FIRN_SHAPE_PLANE || part->shape.kind == FIRN_SHAPE_HEIGHT_MAP ||
        part->shape.kind == FIRN_SHAPE_HILLS)
        report->add(report, "shape",
                    "ground (plane, height_map, hills) cannot be part of a union; make it a body");
}

static const param_table part_params =
    DEF_TABLE_OF(firn_part_def, "bodies.shape.union.parts", "one member of a union: a shape with its place",
                 part_rows, .check = check_part);
static const param_row union_rows[] = {
    MAP_ROW(firn_shape_def, parts, &part_params,
            "the members by name: {body: {shape: ..., at: ...}, head: {...}}", .required = true),
    {0},
};

static const param_table box_table = TABLE("box", box_help, box_rows);
static const param_table sphere_table = TABLE("sphere", sphere_help, sphere_rows);
static const param_table ellipsoid_table = TABLE("ellipsoid", ellipsoid_help, ellipsoid_rows);
static const param_table capsule_table = TABLE("capsule", capsule_help, capsule_rows);
static const param_table cylinder_table = TABLE("cylinder", cylinder_help, cylinder_rows);
static const param_table height_map_table = TABLE("height_map", height_map_help, height_map_rows);
static const param_table mesh_table = TABLE("mesh", mesh_help, mesh_rows);
static const param_table binvox_table = TABLE("binvox", binvox_help, binvox_rows);
static const param_table union_table =
    TABLE_OF(firn_shape_def, "bodies.shape.union", union_help, union_rows, .check = check_parts);
static const param_table hare_table = TABLE("hare", hare_help, hare_rows);
static const param_table snowman_table = TABLE("snowman", snowman_help, snowman_rows);
static const param_table house_table = TABLE("house", house_help, house_rows);
static const param_table lamp_post_table = TABLE("lamp_post", lamp_post_help, lamp_post_rows);
static const param_table tree_table = TABLE("tree", tree_help, tree_rows);
static const param_table rock_table = TABLE("rock", rock_help, rock_rows);
static const param_table fence_table =
    TABLE_OF(firn_shape_def, "bodies.shape.fence", fence_help, fence_rows, .check = check_fence);
static const param_table hills_table = TABLE("hills", hills_help, hills_rows);

const param_variant shape_variants[] = {
    {"plane", FIRN_SHAPE_PLANE, NULL, plane_help, false},
    {"box", FIRN_SHAPE_BOX, &box_table, box_help, false},
    {"sphere", FIRN_SHAPE_SPHERE, &sphere_table, sphere_help, false},
    {"ellipsoid", FIRN_SHAPE_ELLIPSOID, &ellipsoid_table, ellipsoid_help, false},
    {"capsule", FIRN_SHAPE_CAPSULE, &capsule_table, capsule_help, false},
    {"cylinder", FIRN_SHAPE_CYLINDER, &cylinder_table, cylinder_help, false},
    {"height_map", FIRN_SHAPE_HEIGHT_MAP, &height_map_table, height_map_help, false},
    {"mesh", FIRN_SHAPE_MESH, &mesh_table, mesh_help, false},
    {"binvox", FIRN_SHAPE_BINVOX, &binvox_table, binvox_help, false},
    {"union", FIRN_SHAPE_UNION, &union_table, union_help, false},
    {"hare", FIRN_SHAPE_HARE, &hare_table, hare_help, false},
    {"snowman", FIRN_SHAPE_SNOWMAN, &snowman_table, snowman_help, false},
    {"house", FIRN_SHAPE_HOUSE, &house_table, house_help, false},
    {"lamp_post", FIRN_SHAPE_LAMP_POST, &lamp_post_table, lamp_post_help, false},
    {"hills", FIRN_SHAPE_HILLS, &hills_table, hills_help, false},
    {"tree", FIRN_SHAPE_TREE, &tree_table, tree_help, false},
    {"rock", FIRN_SHAPE_ROCK, &rock_table, rock_help, false},
    {"fence", FIRN_SHAPE_FENCE, &fence_table, fence_help, false},
    {0},
};
_Static_assert(sizeof shape_variants / sizeof shape_variants[0] == FIRN_SHAPE_KINDS + 1, "one word per kind");

static const param_row shape_rows[] = {
    {.name = "shape",
     .type = PARAM_VARIANT,
     .offset = 0,
     .fallback = "box",
     .variants = shape_variants,
     .help = "a word, or {word: {its parameters}}"},
    {0},
};
const param_table shape_params =
    TABLE_OF(firn_shape_def, "bodies.shape", "what something looks like", shape_rows);

DEFAULT_OF(firn_shape_def, shape_params)
DEFAULT_OF(firn_part_def, part_params)
