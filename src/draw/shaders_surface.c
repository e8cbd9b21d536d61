// GLSL of surfaces: bodies, snow, ground, spheres, the shadow map.
#include "draw/shaders.h"

const char *const shader_mesh_vertex = "layout(location = 0) in vec3 position;\n"
                                       "layout(location = 1) in vec3 normal;\n"
                                       "layout(location = 2) in vec3 color;\n"
                                       "layout(location = 3) in vec4 rest;\n"
                                       "uniform mat4 model;\n"
                                       "out vec3 p, n, tint, own, own_normal;\n"
                                       "out vec4 bound;\n"
                                       "void main() {\n"
                                       "    bound = rest;\n"
                                       "    p = (model * vec4(position, 1.0)).xyz;\n"
                                       "    n = mat3(model) * normal;\n"
                                       "    own = position;\n"
                                       "    own_normal = normal;\n"
                                       "    tint = color;\n"
                                       "    gl_Position = view_projection * vec4(p, 1.0);\n"
                                       "}\n";

const char *const shader_plain_fragment =
    "in vec3 p, n, tint;\n"
    "uniform float material;\n"
    "void main() { write_surface(tint, material, normalize(gl_FrontFacing ? n : -n)); }\n";

// Without a pattern. A software rasteriser runs every way through a shader for every pixel, so that patterns
// cost as much where there are none.
const char *const shader_bare_body_fragment =
    "in vec3 p, n, tint;\n"
    "in vec4 bound;\n"
    "uniform float material;\n"
    "void main() {\n"
    "    float rough = 15.0 / 255.0 * clamp(bound.w, 0.0, 1.0);\n" // see SHADE_FIELD
    "    write_surface(tint, material + rough, normalize(gl_FrontFacing ? n : -n));\n"
    "}\n";

const char *const shader_body_fragment =
    "in vec3 p, n, tint, own, own_normal;\n"
    "uniform mat4 model;\n"
    "uniform float material;\n"
    "uniform int pattern;\n"
    "void main() {\n"
    "    vec3 m = normalize(gl_FrontFacing ? n : -n), color = tint, to_eye = eye.xyz - p;\n"
    "    float d = length(to_eye), slant = max(abs(dot(m, to_eye)) / d, 0.06);\n"
    "    vec3 bend = mat3(model) * patterned(pattern, own, normalize(own_normal), d * eye.w / slant, "
    "color);\n"
    "    write_surface(color, material, normalize(m - bend + m * dot(m, bend)));\n"
    "}\n";

// Single crystals that mirror the sun: each has a face of its own, and shines when that stands half-way
// between sun and eye, so that they come and go as either moves. many: of 1600 places, about.
const char *const shader_sparkle =
    "bool sparkle(vec3 p, vec3 to_eye, float d, float many) {\n"
    "    float cell = exp2(ceil(log2(d * eye.w * 1.2)));\n"
    "    ivec3 q = ivec3(floor(p / cell));\n"
    "    uint h = mix_bits(q.xz + ivec2(q.y * 7919, q.y * 104729));\n"
    "    vec3 face = vec3(h & 0x3ffu, (h >> 10) & 0x3ffu, (h >> 20) & 0x3ffu) - 511.5;\n"
    "    vec3 middle = normalize(to_eye / d + sun.xyz);\n"
    "    return abs(dot(face, middle)) > (1.0 - 0.0006 * many) * length(face);\n"
    "}\n";

// Bumps finer than meshes: relief_noise and relief_bumps of geom/relief.c. Brightness in w. A loop that ends
// early costs nothing in a software rasteriser, a branch would.
const char *const shader_bumps =
    "uint bump_bits(ivec3 q) {\n"
    "    uint h = uint(q.x) * 0x9E3779B1u ^ uint(q.y) * 0x85EBCA77u ^ uint(q.z) * 0xC2B2AE3Du;\n"
    "    h = (h ^ (h >> 15)) * 0x2C1B3C6Du;\n"
    "    h = (h ^ (h >> 12)) * 0x297A2D39u;\n"
    "    return h ^ (h >> 15);\n"
    "}\n"
    "float bump_at(ivec3 q) { return float(bump_bits(q) & 0xffffu) * (2.0 / 65536.0) - 1.0; }\n"
    "vec4 bump_noise(vec3 at) {\n"
    "    const mat3 turn = mat3(0.36, -0.8, 0.48, 0.48, 0.6, 0.64, -0.8, 0.0, 0.6);\n"
    "    vec3 x = clamp(turn * at, -1e8, 1e8), cell = floor(x), f = x - cell;\n"
    "    ivec3 q = ivec3(cell);\n"
    "    vec3 u = f * f * f * (f * (f * 6.0 - 15.0) + 10.0), du = 30.0 * f * f * (f * (f - 2.0) + 1.0);\n"
    "    vec4 low = vec4(bump_at(q), bump_at(q + ivec3(1, 0, 0)), bump_at(q + ivec3(0, 1, 0)), bump_at(q + "
    "ivec3(1, 1, 0)));\n"
    "    q.z++;\n"
    "    vec4 high = vec4(bump_at(q), bump_at(q + ivec3(1, 0, 0)), bump_at(q + ivec3(0, 1, 0)), bump_at(q + "
    "ivec3(1, 1, 0)));\n"
    "    vec4 c = mix(low, high, u.z), rise = high - low;\n"
    "    vec2 along = mix(c.xz, c.yw, u.x), up = mix(rise.xz, rise.yw, u.x);\n"
    "    vec3 d = du * vec3(mix(c.y - c.x, c.w - c.z, u.y), along.y - along.x, mix(up.x, up.y, u.y));\n"
    "    return vec4(d * turn, mix(along.x, along.y, u.y));\n"
    "}\n"
    "vec4 bumps(vec3 at, float rough, float pixel) {\n"
    "    const float size[5] = float[5](0.13, 0.055, 0.024, 0.0105, 0.0045);\n"
    "    const float even[5] = float[5](0.03, 0.036, 0.045, 0.055, 0.065), torn[5] = float[5](0.22, 0.26, "
    "0.26, 0.24, 0.2);\n"
    "    vec4 sum = vec4(0.0);\n"
    "    int count = 0;\n"
    "    for (int i = 0; i < 5; i++) count += size[i] > 1.66667 * pixel ? 1 : 0;\n"
    "    for (int i = 0; i < count; i++) {\n"
    "        float part = clamp(1.5 - 2.5 * pixel / size[i], 0.0, 1.0) * mix(even[i], torn[i], rough);\n"
    "        sum += part * bump_noise(at / size[i]);\n"
    "    }\n"
    "    return vec4(sum.xyz, 1.0 + 0.16 * sum.w);\n"
    "}\n"
    "vec3 bent(vec3 m, vec3 slope) { return normalize(m - slope + m * dot(m, slope)); }\n";

// Snow that moves: bumps are bound to its matter.
const char *const shader_soft_fragment =
    "in vec3 p, n, tint;\n"
    "in vec4 bound;\n"
    "uniform float material;\n"
    "void main() {\n"
    "    vec3 m = normalize(gl_FrontFacing ? n : -n), to_eye = eye.xyz - p;\n"
    "    float d = length(to_eye), slant = max(abs(dot(m, to_eye)) / d, 0.06);\n"
    "    vec4 b = bumps(bound.w > 0.0 ? bound.xyz : p, bound.w > 0.0 ? bound.w * bound.w : 0.1, d * eye.w / "
    "slant);\n"
    "    bool glint = material < 0.5 && sparkle(p, to_eye, d, 7.0);\n" // else the CPU adds them
    "    write_surface(min(tint * b.w, 1.0), glint ? 0.7 : material, bent(m, b.xyz));\n"
    "}\n";

// A disc of rings round the point below the eye, wider and wider: endless for the picture, exact near the
// camera.
const char *const shader_plane_vertex = "layout(location = 0) in vec3 position;\n"
                                        "uniform mat4 model;\n"
                                        "uniform vec3 color;\n"
                                        "out vec3 p, n, tint;\n"
                                        "out vec4 bound;\n"
                                        "void main() {\n"
                                        "    bound = vec4(0.0);\n"
                                        "    p = (model * vec4(position, 1.0)).xyz;\n"
                                        "    n = model[1].xyz;\n"
                                        "    tint = color;\n"
                                        "    gl_Position = view_projection * vec4(p, 1.0);\n"
                                        "}\n";

// Snow that lies flat: three sizes of unevenness, each gone before it becomes finer than a pixel. r: a pixel,
// in sizes of details; fine: how much of the finest there is. Slope in xy, brightness in z.
const char *const shader_drifts =
    "vec3 drifts(vec2 q, float r, float fine_part) {\n"
    "    mat2 turn1 = mat2(0.8, 0.6, -0.6, 0.8), turn2 = mat2(0.47, -0.88, 0.88, 0.47);\n" // hides the
                                                                                           // lattice
    "    vec3 broad = noise(q * vec2(0.37, 0.52));\n"
    "    vec3 drift = noise(turn1 * q * vec2(1.1, 2.6) + 0.6 * broad.xy), fine = noise(turn2 * q * 9.0);\n"
    "    vec2 slope = 0.07 * broad.yz * clamp(1.5 - r, 0.0, 1.0)\n"
    "               + 0.05 * (drift.yz * turn1) * clamp(1.5 - 3.0 * r, 0.0, 1.0)\n"
    "               + 0.022 * (fine.yz * turn2) * fine_part;\n"
    "    return vec3(slope, 1.0 + 0.03 * broad.x * clamp(1.5 - r, 0.0, 1.0) + 0.02 * fine.x * fine_part);\n"
    "}\n";

const char *const shader_snow_fragment =
    "in vec3 p, n, tint;\n"
    "in vec4 bound;\n"
    "uniform float grid, material;\n"
    "float line(vec2 q, float wide) {\n"
    "    vec2 d = abs(fract(q - 0.5) - 0.5);\n"
    "    vec2 near = 1.0 - smoothstep(wide * 0.5, wide * 1.5, d);\n"
    "    return max(near.x, near.y) * clamp(1.0 - wide * 4.0, 0.0, 1.0);\n"
    "}\n"
    "void main() {\n"
    "    vec3 m = normalize(gl_FrontFacing ? n : -n), to_eye = eye.xyz - p;\n"
    "    float d = length(to_eye), slant = max(abs(dot(m, to_eye)) / d, 0.01);\n"
    "    float pixel = d * eye.w / slant, r = pixel / forward.w;\n"
    "    float loose = clamp(4.0 * tint.r - 2.4, 0.0, 1.0);\n" // pressed snow is smooth and dull
    "    vec3 look = drifts(p.xz / forward.w, r, clamp(1.4 - 8.0 * r, 0.0, 1.0) * (0.3 + 0.7 * loose));\n"
    "    m = normalize(m - vec3(look.x, 0.0, look.y) * max(m.y, 0.0));\n"
    "    vec4 b = bumps(p, bound.w * bound.w, pixel);\n"
    "    m = bent(m, (0.4 + 0.6 * loose) * b.xyz);\n"
    "    vec3 white = tint * look.z * b.w;\n"
    "    white = mix(white, white * vec3(0.60, 0.70, 0.82), grid * line(p.xz, pixel * 1.1 + 0.006));\n"
    "    bool glint = slant > 0.1 && sparkle(p, to_eye, d, 5.0 * loose);\n"
    "    write_surface(min(white, 1.0), glint ? material + 0.2 : material, m);\n"
    "}\n";

// The snow cover, seen along all three axes (triplanar): drifts where it is flat; where it is steep, crumbs
// that rolled down and the layers of single snowfalls, a little bluer.
const char *const shader_cover_fragment =
    "in vec3 p, n, tint;\n"
    "uniform float material;\n"
    "vec3 crumbs(vec2 q, float r) {\n" // q: along the slope, up
    "    vec3 layer = noise(vec2(0.7 * q.x, 7.0 * q.y) + 3.7), crumb = noise(q * vec2(11.0, 8.0));\n"
    "    float layers = clamp(1.4 - 7.0 * r, 0.0, 1.0), crumbly = clamp(1.4 - 11.0 * r, 0.0, 1.0);\n"
    "    vec2 slope = 0.16 * layer.yz * layers + 0.13 * crumb.yz * crumbly;\n"
    "    return vec3(slope, 1.0 + 0.05 * layer.x * layers + 0.03 * crumb.x * crumbly);\n"
    "}\n"
    "void main() {\n"
    "    vec3 m = normalize(gl_FrontFacing ? n : -n), to_eye = eye.xyz - p;\n"
    "    float d = length(to_eye), slant = max(abs(dot(m, to_eye)) / d, 0.01);\n"
    "    float size = forward.w, r = d * eye.w / slant / size;\n"
    "    vec3 part = m * m;\n"
    "    part *= part;\n" // the axis that looks most at the eye of a projector wins
    "    part /= part.x + part.y + part.z;\n"
    "    vec3 q = p / size, y = drifts(q.xz, r, clamp(1.4 - 8.0 * r, 0.0, 1.0));\n"
    "    vec3 x = crumbs(q.zy, r), z = crumbs(q.xy, r);\n"
    "    float steep = 1.0 - smoothstep(0.55, 0.9, m.y);\n"
    "    vec3 bend = part.y * vec3(y.x, 0.0, y.y) + steep * (part.x * vec3(0.0, x.y, x.x) + part.z * "
    "vec3(z.x, "
    "z.y, 0.0));\n"
    "    m = normalize(m - bend + m * dot(m, bend));\n"
    "    vec4 b = bumps(p, 0.12 + 0.4 * steep, r * size);\n"
    "    m = bent(m, b.xyz);\n"
    "    float light = b.w * dot(part, vec3(mix(1.0, x.z, steep), y.z, mix(1.0, z.z, steep)));\n"
    "    vec3 white = tint * light * mix(vec3(1.0), vec3(0.93, 0.955, 0.985), steep);\n"
    "    bool glint = slant > 0.1 && sparkle(p, to_eye, d, mix(6.0, 2.0, steep));\n"
    "    write_surface(min(white, 1.0), glint ? material + 0.2 : material, m);\n"
    "}\n";

// Large spheres: a square that faces the eye and covers the sphere; each pixel meets the sphere exactly.
const char *const shader_spheres_vertex =
    "layout(location = 0) in vec3 position;\n"
    "layout(location = 1) in vec3 color;\n"
    "uniform float radius;\n"
    "out vec3 p;\n"
    "flat out vec3 middle, tint;\n"
    "void main() {\n"
    "    middle = position;\n"
    "    tint = color * color;\n"
    "    vec3 away = position - eye.xyz;\n"
    "    float d2 = dot(away, away), r2 = radius * radius;\n"
    "    vec3 w = away * inversesqrt(d2), u = normalize(abs(w.y) < 0.99 ? cross(w, vec3(0, 1, 0)) : cross(w, "
    "vec3(1, 0, 0)));\n"
    "    float wide = radius * sqrt(d2 / max(d2 - r2, 1e-3 * r2));\n"
    "    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;\n"
    "    p = position + wide * (corner.x * u + corner.y * cross(u, w));\n"
    "    gl_Position = view_projection * vec4(p, 1.0);\n"
    "}\n";

const char *const shader_spheres_fragment =
    "in vec3 p;\n"
    "flat in vec3 middle, tint;\n"
    "uniform float radius, material;\n"
    "void main() {\n"
    "    vec3 ray = normalize(p - eye.xyz), to = middle - eye.xyz;\n"
    "    float along = dot(to, ray), off2 = dot(to, to) - along * along, inside = radius * radius - off2;\n"
    "    if (inside < 0.0) discard;\n"
    "    vec3 hit = eye.xyz + ray * (along - sqrt(inside));\n"
    "    vec4 clip = view_projection * vec4(hit, 1.0);\n"
    "    gl_FragDepth = clamp(0.5 + 0.5 * clip.z / clip.w, 0.0, 1.0);\n"
    "    write_surface(tint, material, (hit - middle) / radius);\n"
    "}\n";

const char *const shader_depth_vertex =
    "layout(location = 0) in vec3 position;\n"
    "uniform mat4 model;\n"
    "void main() { gl_Position = vec4((shadow * (model * vec4(position, 1.0))).xyz * 2.0 - 1.0, 1.0); }\n";

const char *const shader_depth_fragment = "void main() {}\n";

// Small spheres come ready from splat.c, as pictures of distance, colour and normal.
const char *const shader_splats_fragment =
    "uniform sampler2D splat_depth, splat_color, splat_normal;\n"
    "layout(location = 0) out vec4 surface;\n"
    "layout(location = 1) out vec2 facing;\n"
    "void main() {\n"
    "    ivec2 q = ivec2(gl_FragCoord.xy);\n"
    "    float w = texelFetch(splat_depth, q, 0).r;\n"
    "    if (w > 1e30) discard;\n"
    "    gl_FragDepth = view_y.w * (w - view_x.w) / (w * (view_y.w - view_x.w));\n"
    "    surface = texelFetch(splat_color, q, 0);\n"
    "    facing = texelFetch(splat_normal, q, 0).rg;\n"
    "}\n";
