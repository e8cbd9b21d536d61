// GLSL of water: its surface, its depth, and the view through it.
#include "draw/shaders.h"

// Light that comes through water is dimmed by colours: the colour of deep water says which parts stay
// longest, how clear it is how far.
#define OPTICAL                                                                                              \
    "vec3 dimming(vec3 deep) {\n"                                                                            \
    "    vec3 a = -log(clamp(deep, 0.02, 0.97));\n"                                                          \
    "    return screen.w * 3.0 * a / (a.r + a.g + a.b);\n"                                                   \
    "}\n"

const char *const shader_water_fragment = "in vec3 p, n, tint;\n"
                                          "void main() { write_surface(tint, 1.0, normalize(n)); }\n";

// Added over all faces: what lies behind a face that looks away minus what lies behind one that looks here is
// the way through the water, as far as the scene behind it lets one see.
const char *const shader_thick_fragment =
    "in vec3 p, n, tint;\n"
    "uniform sampler2D depth;\n"
    "out vec4 result;\n" OPTICAL "void main() {\n"
    "    float z = dot(p - eye.xyz, forward.xyz), scene = view_depth(texelFetch(depth, "
    "ivec2(gl_FragCoord.xy), 0).r);\n"
    "    float way = min(z, scene) * length(p - eye.xyz) / z * (gl_FrontFacing ? -1.0 : 1.0);\n"
    "    result = vec4(dimming(tint) * way, way);\n"
    "}\n";

const char *const shader_sun_thick_vertex = "layout(location = 0) in vec3 position;\n"
                                            "layout(location = 2) in vec3 color;\n"
                                            "uniform mat4 model;\n"
                                            "out vec3 s, tint;\n"
                                            "void main() {\n"
                                            "    s = (shadow * (model * vec4(position, 1.0))).xyz;\n"
                                            "    tint = color;\n"
                                            "    gl_Position = vec4(s * 2.0 - 1.0, 1.0);\n"
                                            "}\n";

// Alpha: the depth of the nearest face, by the smallest value of all.
const char *const shader_sun_thick_fragment =
    "in vec3 s, tint;\n"
    "out vec4 result;\n" OPTICAL "void main() {\n"
    "    float way = s.z * sky_high.w * 2048.0 * (gl_FrontFacing ? -1.0 : 1.0);\n"
    "    result = vec4(dimming(tint) * way, s.z);\n"
    "}\n";

// The light of a scene with water: of linear colours, and the sun is dimmed on its way down.
const char *const shader_wet =
    "uniform sampler2D water_sun;\n"
    "vec2 pixel_at() { return gl_FragCoord.xy; }\n"
    "vec3 sun_through(vec3 p) {\n"
    "    vec3 s = (shadow * vec4(p, 1.0)).xyz;\n"
    "    vec4 w = textureLod(water_sun, s.xy, 0.0);\n"
    "    float mean = (w.r + w.g + w.b) / 3.0, most = (s.z - w.a) * sky_high.w * 2048.0 * screen.w;\n"
    "    float part = clamp(most / max(mean, 1e-4), 0.0, 1.0);\n"
    "    return exp(-max(w.rgb, 0.0) * part) * (1.0 - 0.12 * clamp(20.0 * part * mean, 0.0, 1.0));\n"
    "}\n"
    "vec4 finished(vec3 all, bool plain) { return vec4(all, plain ? 1.0 : 0.0); }\n";

// Looking through: the ray bends where it enters, and again where it first leaves the water; what it then
// meets is found in the picture of the scene, in three steps, since its distance is known only there.
// Reflection (Schlick 1994): of the scene where it is in the picture, of the sky elsewhere.
const char *const shader_through_fragment =
    "uniform sampler2D scene_light, depth, water_color, water_normal, water_depth, water_back, "
    "water_back_depth, water_thick;\n"
    "out vec4 result;\n"
    "vec3 place(vec3 p) {\n" // pixel in 0..1, distance along the view
    "    vec3 a = p - eye.xyz;\n"
    "    float z = dot(a, forward.xyz);\n"
    "    vec2 half_size = vec2(dot(right.xyz, right.xyz), dot(up.xyz, up.xyz));\n"
    "    return vec3(0.5 + 0.5 * vec2(dot(a, right.xyz), dot(a, up.xyz)) / half_size / max(z, 1e-4), z);\n"
    "}\n"
    "float scene_depth(vec2 at) { return view_depth(textureLod(depth, clamp(at, 0.0, 1.0), 0.0).r); }\n"
    "bool outside(vec2 at) { return any(lessThan(at, vec2(0.0))) || any(greaterThan(at, vec2(1.0))); }\n"
    "vec3 air(vec3 d) {\n"
    "    vec3 above = backdrop(vec3(d.x, max(d.y, 0.0), d.z), false);\n"
    "    return mix(above, ground_fill.rgb, clamp(-8.0 * d.y, 0.0, 1.0));\n"
    "}\n"
    // Along a ray in growing steps to where it comes to lie behind the scene, then back by halves. What
    // stands nearer than `nearest` is not met, nor what the ray passes more than `thick` steps behind. Found:
    // pixel in 0..1, and 1.
    "vec3 meet(vec3 p, vec3 d, float size, float nearest, float thick) {\n"
    "    float before = 0.0, reach = 0.01 * size;\n"
    "    for (int i = 0; i < 22; i++) {\n"
    "        vec3 k = place(p + d * reach);\n"
    "        float z = scene_depth(k.xy);\n"
    "        if (outside(k.xy) || k.z < view_x.w) break;\n"
    "        if (k.z > z && z > nearest && k.z - z < thick * (reach - before)) {\n"
    "            float low = before, high = reach;\n"
    "            for (int j = 0; j < 5; j++) {\n"
    "                float middle = 0.5 * (low + high);\n"
    "                vec3 m = place(p + d * middle);\n"
    "                float other = scene_depth(m.xy);\n"
    "                bool in_front = m.z < other || other < nearest;\n"
    "                low = in_front ? middle : low;\n"
    "                high = in_front ? high : middle;\n"
    "            }\n"
    "            vec3 m = place(p + d * high);\n"
    "            if (m.z - scene_depth(m.xy) < 0.15 * (reach - before) + 0.004 * size) return vec3(m.xy, "
    "1.0);\n" // no edge
    "        }\n"
    "        before = reach;\n"
    "        reach *= 1.26;\n"
    "    }\n"
    "    return vec3(0.5, 0.5, 0.0);\n"
    "}\n"
    "vec3 light_at(vec2 at) { return textureLod(scene_light, at, 0.0).rgb; }\n"
    // What is not met in the picture is the sky, or it is hidden by something nearer or by the border. Then
    // the ray bends as much less as is needed to see something: the picture is drawn out there, but not torn.
    "vec3 seen(vec3 p, vec3 v, vec3 d, float size, float nearest, float away) {\n"
    "    vec3 hit = meet(p, d, size, nearest, 2.5);\n"
    "    float low = 0.0, high = 1.0;\n"
    "    int looks = hit.z < 0.5 ? 6 : 0;\n"
    "    for (int i = 0; i < looks; i++) {\n"
    "        float part = i == 0 ? 1.0 : 0.5 * (low + high);\n"
    "        vec2 k = place(p + normalize(mix(v, d, part)) * away).xy;\n"
    "        bool good = !outside(k) && scene_depth(k) > nearest;\n"
    "        low = good ? part : low;\n"
    "        high = good ? high : part;\n"
    "    }\n"
    "    vec2 at = place(p + normalize(mix(v, d, low > 0.9 ? low : 0.92 * low)) * away).xy;\n" // not its edge
    "    return hit.z > 0.5 ? light_at(hit.xy) : d.y > 0.0 ? air(d) : texelFetch(scene_light, "
    "ivec2(clamp(at, "
    "0.001, 0.999) * screen.xy), 0).rgb;\n"
    "}\n"
    "vec3 mirrored(vec3 p, vec3 d, float size) {\n"
    "    vec3 hit = meet(p, d, size, 0.0, 1.6);\n"
    "    vec2 aside = abs(hit.xy - 0.5);\n"
    "    float sure = hit.z * clamp((0.5 - max(aside.x, aside.y)) * 12.0, 0.0, 1.0);\n"
    "    return mix(air(d), light_at(hit.xy), sure);\n"
    "}\n"
    "vec3 back_normal(vec2 f) {\n"
    "    f = f * 2.0 - 1.0;\n"
    "    return f.x * view_x.xyz + f.y * view_y.xyz + sqrt(max(1.0 - dot(f, f), 0.0)) * forward.xyz;\n"
    "}\n"
    "void main() {\n"
    "    vec2 at = flipped_at();\n"
    "    ivec2 q = ivec2(at);\n"
    "    vec4 base = texelFetch(scene_light, q, 0), wet = texelFetch(water_color, q, 0);\n"
    "    vec4 thick = max(texelFetch(water_thick, q, 0), 0.0);\n"
    "    float scene = view_depth(texelFetch(depth, q, 0).r), z = view_depth(texelFetch(water_depth, q, "
    "0).r);\n"
    "    bool front = wet.a > 0.5 && z < scene;\n"
    "    if (!front && thick.a < 1e-4) {\n"
    "        result = toned(base.rgb, base.a > 0.5);\n"
    "        return;\n"
    "    }\n"
    "    vec3 ray = view_ray(at), n = normal_of(texelFetch(water_normal, q, 0).rg), deep = wet.rgb * "
    "wet.rgb;\n"
    "    float d = length(ray), size = 4.5 * forward.w;\n"
    "    vec3 v = ray / d, p = eye.xyz + ray * z, behind = base.rgb;\n"
    "    float facing = max(dot(-v, n), 0.0);\n"
    "    if (front) {\n"
    "        vec3 r = refract(v, n, 0.75);\n"
    "        float back = view_depth(texelFetch(water_back_depth, q, 0).r);\n"
    "        if (back < scene - occlusion.w) {\n"
    // As if the face at the far end were flat: then the way to it is known.
    "            vec3 m = back_normal(texelFetch(water_back, q, 0).rg);\n"
    "            float straight = (back - z) * d, bent = straight * dot(v, m) / max(dot(r, m), 0.2);\n"
    "            vec3 e = p + r * clamp(bent, 0.3 * straight, 1.5 * straight);\n"
    "            vec3 o = refract(r, -m, 1.33);\n"
    "            o = dot(o, o) > 0.1 ? o : normalize(r + 0.35 * reflect(r, -m));\n"
    "            behind = seen(e, v, o, size, z, min(scene - back, 40.0 * size) * d);\n"
    "        } else\n"
    "            behind = seen(p, v, r, size, z, (scene - z) * d);\n"
    "    }\n"
    "    vec3 left = exp(-thick.rgb);\n"
    "    float lit = sun_light(p, n, front, true, 0.0), nl = max(dot(n, sun.xyz), 0.0);\n"
    "    vec3 glow = deep * (0.8 * sky_fill.rgb + 0.2 * ground_fill.rgb + sun_color.rgb * (0.15 + 0.45 * lit "
    "* "
    "(0.3 + 0.7 * nl)));\n"
    "    vec3 all = behind * left + glow * (1.0 - left);\n"
    "    if (front) {\n"
    "        float f = 1.0 - facing, f2 = f * f, mirror = 0.03 + 0.97 * f2 * f2 * f;\n"
    "        float nh = max(dot(n, normalize(sun.xyz - v)), 0.0);\n"
    "        all = mix(all, mirrored(p, reflect(v, n), size), mirror);\n"
    "        all += sun_color.rgb * (lit * (1.6 * pow(nh, 700.0) + 0.05 * pow(nh, 60.0)));\n"
    "        float fog = 1.0 - exp(-right.w * max(d * z - up.w, 0.0));\n"
    "        all = mix(all, backdrop(vec3(v.x, max(v.y, 0.0), v.z), true), fog);\n"
    "    }\n"
    "    result = toned(all, false);\n"
    "}\n";
