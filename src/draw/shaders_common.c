// GLSL that all shaders share: the scene block, noise, sky, haze.
#include "draw/shaders.h"

const char *const shader_head =
    "#version 330 core\n"
    "layout(std140) uniform Scene {\n"
    "    mat4 view_projection, shadow;\n"
    "    vec4 eye, right, up, forward, view_x, view_y, sun, sun_color, sky_high, sky_low, sky_fill, "
    "ground_fill, screen;\n"
    "    vec4 lamp_at[4], lamp_color[4];\n"
    "    vec4 occlusion;\n"
    "};\n"
    // Integer hash: the same on every machine, and cheap where there is no graphics card.
    "uint mix_bits(ivec2 p) {\n"
    "    uint h = uint(p.x) * 0x9E3779B1u ^ uint(p.y) * 0x85EBCA77u;\n"
    "    h = (h ^ (h >> 15)) * 0x2C1B3C6Du;\n"
    "    return h ^ (h >> 13);\n"
    "}\n"
    "float hash(ivec2 p) { return float(mix_bits(p) & 0xffffu) / 65536.0; }\n"
    // Value noise in -1..1 with its slope: (value, d/dx, d/dy).
    "vec3 noise(vec2 p) {\n"
    "    vec2 cell = floor(p), f = p - cell;\n"
    "    ivec2 i = ivec2(cell);\n"
    "    float a = hash(i), b = hash(i + ivec2(1, 0)), c = hash(i + ivec2(0, 1)), d = hash(i + ivec2(1, "
    "1));\n"
    "    vec2 u = f * f * f * (f * (f * 6.0 - 15.0) + 10.0), du = 30.0 * f * f * (f * (f - 2.0) + 1.0);\n"
    "    float k = a - b - c + d;\n"
    "    return 2.0 * vec3(a - 0.5 + (b - a) * u.x + (c - a) * u.y + k * u.x * u.y,\n"
    "                      du * (vec2(b - a, c - a) + k * u.yx));\n"
    "}\n"
    "vec3 sky(vec3 d) {\n"
    "    float h = max(d.y, 0.0), s = max(dot(d, sun.xyz), 0.0);\n"
    "    vec3 c = mix(sky_high.rgb, sky_low.rgb, exp(-5.5 * h));\n"
    "    float s2 = s * s, s8 = s2 * s2 * s2 * s2;\n"
    "    return c + sun_color.rgb * (0.05 * s2 * exp(-5.0 * h) + 0.10 * s8 + 0.2 * s8 * s8 * s8 * s8);\n"
    "}\n";

// Colours are kept as square roots. Alpha tells the material: 0 sky, 0.2 grains, 0.4 snow, 0.6 a glint on
// snow, 0.48 snow that moves, 0.7 a glint on it, 0.455 and 0.655 the same of the snow field, 1 body, 0.9
// plain colour; 0.3 (grains) and 0.35 (larger spheres): the colour means something and is lit by white light.
// Normals are kept as the camera sees them (right, up); the third part follows.
const char *const shader_surface = "layout(location = 0) out vec4 surface;\n"
                                   "layout(location = 1) out vec2 facing;\n"
                                   "void write_surface(vec3 color, float material, vec3 n) {\n"
                                   "    surface = vec4(sqrt(color), material);\n"
                                   "    facing = 0.5 + 0.5 * vec2(dot(n, view_x.xyz), dot(n, view_y.xyz));\n"
                                   "}\n";

const char *const shader_place =
    "float view_depth(float z) { return view_x.w * view_y.w / (view_y.w - z * (view_y.w - view_x.w)); }\n"
    "vec3 view_ray(vec2 pixel) {\n"
    "    vec2 ndc = pixel * 2.0 / screen.xy - 1.0;\n"
    "    return forward.xyz + ndc.x * right.xyz + ndc.y * up.xyz;\n"
    "}\n"
    "vec3 normal_of(vec2 f) {\n"
    "    f = f * 2.0 - 1.0;\n"
    "    return f.x * view_x.xyz + f.y * view_y.xyz - sqrt(max(1.0 - dot(f, f), 0.0)) * forward.xyz;\n"
    "}\n";
