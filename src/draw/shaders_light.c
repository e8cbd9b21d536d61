// GLSL of the screen passes: occlusion, blur, light.
#include "draw/shaders.h"

const char *const shader_screen_vertex = "void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, "
                                         "gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }\n";

// Depth to metres along the view, at half the size.
const char *const shader_distance_fragment =
    "uniform sampler2D depth;\n"
    "out float result;\n"
    "void main() { result = view_depth(texelFetch(depth, 2 * ivec2(gl_FragCoord.xy), 0).r); }\n";

// How much of the near sky is hidden: eight looks on a spiral, turned by a pattern of 4 x 4 pixels that the
// blur then averages out exactly. Each counts by how steeply the found point stands over the surface (as in
// McGuire 2011). A loop that runs zero times costs nothing in a software rasteriser, a branch would.
const char *const shader_occlusion_fragment =
    "uniform sampler2D distances, normals;\n"
    "out vec2 result;\n"
    "void main() {\n"
    "    ivec2 q = ivec2(gl_FragCoord.xy), last = textureSize(distances, 0) - 1;\n"
    "    float z = texelFetch(distances, q, 0).r;\n"
    "    vec3 n = normal_of(texelFetch(normals, 2 * q, 0).rg), p = view_ray(vec2(q) * 2.0 + 0.5) * z;\n"
    "    float reach = min(occlusion.x * occlusion.y / z, 48.0);\n"
    "    int looks = z < 0.5 * view_y.w && reach > 1.0 ? 8 : 0;\n"
    "    float turn = float(((q.x & 3) * 5 + (q.y & 3) * 7 + (q.x & 1) * 8) & 15) * 0.3927, hidden = 0.0;\n"
    "    vec2 spin = vec2(cos(turn), sin(turn)) * reach;\n"
    "    const vec2 spiral[8] = vec2[8](vec2(0.13, 0.0), vec2(-0.18, 0.17), vec2(0.03, -0.37), vec2(0.28, "
    "0.36),\n"
    "                                   vec2(-0.57, -0.1), vec2(0.59, -0.38), vec2(-0.21, 0.80), vec2(-0.44, "
    "-0.84));\n"
    "    for (int i = 0; i < looks; i++) {\n"
    "        vec2 s = spiral[i];\n"
    "        ivec2 k = clamp(q + ivec2(floor(vec2(s.x * spin.x - s.y * spin.y, s.x * spin.y + s.y * spin.x) "
    "+ 0.5)), ivec2(0), last);\n"
    "        vec3 v = view_ray(vec2(k) * 2.0 + 0.5) * texelFetch(distances, k, 0).r - p;\n"
    "        float vv = dot(v, v), fade = max(1.0 - vv / (occlusion.x * occlusion.x), 0.0);\n"
    "        hidden += fade * max(dot(v, n) - 0.003 * z, 0.0) * inversesqrt(vv + 1e-8);\n"
    "    }\n"
    "    result = vec2(clamp(1.0 - occlusion.z * hidden / 8.0, 0.0, 1.0), z);\n"
    "}\n";

const char *const shader_blur_fragment =
    "uniform sampler2D rough;\n"
    "out float result;\n"
    "void main() {\n"
    "    ivec2 q = ivec2(gl_FragCoord.xy), last = textureSize(rough, 0) - 1;\n"
    "    float z = texelFetch(rough, q, 0).g, sum = 0.0, weight = 0.0;\n"
    "    for (int y = -2; y < 2; y++)\n"
    "        for (int x = -2; x < 2; x++) {\n"
    "            vec2 s = texelFetch(rough, clamp(q + ivec2(x, y), ivec2(0), last), 0).rg;\n"
    "            float w = max(1.0 - abs(s.g - z) / (0.04 * z), 0.02);\n"
    "            sum += w * s.r;\n"
    "            weight += w;\n"
    "        }\n"
    "    result = sum / weight;\n"
    "}\n";

// Every pixel once. Sun: percentage-closer soft shadows; six looks for what stands between here and the sun;
// where some but not all find it, a disc of comparisons as wide as the distance to it asks for; all measured
// against the plane of the surface, so that a slope does not shade itself. Sky: light from above and below,
// dimmed where hidden. Snow scatters light inside, so the edge of its shade is soft.
const char *const shader_sun =
    "uniform sampler2D shadow_depth;\n"
    "uniform sampler2DShadow shadow_compare;\n"
    "const vec2 look[6] = vec2[6](vec2(0.05, 0.12), vec2(0.75, 0.15), vec2(-0.25, 0.7),\n"
    "    vec2(-0.65, -0.35), vec2(0.3, -0.55), vec2(-0.1, -0.98));\n"
    "const vec2 disc[12] = vec2[12](vec2(0.204, 0.0), vec2(-0.261, 0.239), vec2(0.04, -0.455),\n"
    "    vec2(0.328, 0.429), vec2(-0.603, -0.107), vec2(0.571, -0.364), vec2(-0.191, 0.711),\n"
    "    vec2(-0.364, -0.702), vec2(0.790, 0.288), vec2(-0.825, 0.338), vec2(0.395, -0.847),\n"
    "    vec2(0.295, 0.933));\n"
    "float sun_light(vec3 p, vec3 n, bool wanted, bool smooth_surface, float deep) {\n"
    "    vec3 s = (shadow * vec4(p + (n * (1.6 + 0.3 * deep) + sun.xyz * deep) * sky_high.w, 1.0)).xyz;\n"
    "    s.z = min(s.z, 1.0) - 0.0005;\n" // the sun's shadows reach beyond the map's depth
    "    vec3 plane = mat3(shadow) * n;\n"
    "    vec2 tilt = smooth_surface ? plane.xy / max(-plane.z, (deep > 0.0 ? 0.09 : 0.15) * length(plane)) : "
    "vec2(0.0);\n"
    "    vec2 aside = abs(s.xy - 0.5);\n"
    "    float turn = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));\n"
    "    vec2 r = vec2(cos(6.2832 * turn), sin(6.2832 * turn));\n"
    "    mat2 spin = mat2(r.x, r.y, -r.y, r.x);\n"
    "    float found = 0.0, blocker = 0.0;\n"
    "    int looks = wanted && max(aside.x, aside.y) < 0.5 ? 6 : 0;\n"
    "    for (int i = 0; i < looks; i++) {\n"
    "        vec2 o = spin * look[i] * sun.w;\n"
    "        float z = textureLod(shadow_depth, s.xy + o, 0.0).r;\n"
    "        float hit = step(z, min(s.z + dot(tilt, o) - 0.1 * (abs(o.x) + abs(o.y)), 0.9999));\n"
    "        found += hit;\n"
    "        blocker += hit * z;\n"
    "    }\n"
    "    float width = (s.z - blocker / max(found, 1.0)) * sun_color.w;\n"
    "    width = clamp(width, sky_low.w, sun.w);\n"
    "    float few = deep > 5.0 ? 1.5 : 0.5;\n" // a lone hit on smooth snow is its own bulge
    "    int taps = found > few && found < 5.5 ? 12 : 0;\n"
    "    float lit = 0.0;\n"
    "    for (int i = 0; i < taps; i++) {\n"
    "        vec2 o = spin * disc[i] * width;\n"
    "        float z = min(s.z + dot(tilt, o) - 0.1 * (abs(o.x) + abs(o.y)), 0.9999);\n"
    "        lit += textureLod(shadow_compare, vec3(s.xy + o, z), 0.0);\n"
    "    }\n"
    "    float edge = clamp((0.5 - max(aside.x, aside.y)) * 20.0, 0.0, 1.0);\n" // no hard end of the map on
                                                                                // the ground
    "    lit = found < few ? 1.0 : found > 5.5 ? 0.0 : lit / 12.0;\n"
    "    return mix(1.0, lit, edge);\n"
    "}\n";

// Two ranges of far mountains stand in the haze of the horizon. A loop instead of a branch, as above.
const char *const shader_backdrop =
    "uniform sampler2D ridges;\n"
    "vec3 backdrop(vec3 v, bool solid) {\n"
    "    vec3 c = sky(v);\n"
    "    int layers = !solid && v.y < 0.16 ? 2 : 0;\n"
    "    for (int i = 0; i < layers; i++) {\n"
    "        float turn = atan(v.z, v.x) / 6.2831853;\n"
    "        float r = textureLod(ridges, vec2(turn, 0.25 + 0.5 * float(i)), 0.0).r;\n"
    "        float inside = clamp((r - v.y) / eye.w * 0.7 + 0.5, 0.0, 1.0);\n"
    "        float sunny = clamp(0.45 - 0.4 * dot(v.xz, sun.xz), 0.0, 1.0);\n"
    "        vec3 snow = mix(sky_fill.rgb * 0.75, sun_color.rgb * 0.26 + sky_fill.rgb * 0.8, sunny);\n"
    "        float veil = mix(i == 0 ? 0.55 : 0.3, 1.0, clamp(1.0 - v.y / r, 0.0, 1.0));\n"
    "        c = mix(c, mix(snow, sky(vec3(v.x, 0.0, v.z)), veil), inside * sky_fill.w);\n"
    "    }\n"
    "    return c;\n"
    "}\n";

// A filmic curve of our own: slope 0.93 at black, a soft shoulder, 1 at infinity; then close to the sRGB
// curve. Last a slight fall-off to the corners and a grain of half a step against bands in the sky. Rows are
// written from the top; alpha is brightness, for smooth.h.
const char *const shader_tone =
    "vec3 tone(vec3 x) {\n"
    "    x = max(x, 0.0);\n"
    "    x = x * (x + 0.25) / (x * (x + 0.55) + 0.27);\n"
    "    return pow(x, vec3(1.0 / 2.2));\n"
    "}\n"
    "vec2 flipped_at() { return vec2(gl_FragCoord.x, screen.y - gl_FragCoord.y); }\n"
    "vec4 toned(vec3 all, bool plain) {\n"
    "    vec2 at = flipped_at(), o = at / screen.xy - 0.5;\n"
    "    vec3 t = tone(all) * (1.0 - 0.2 * dot(o, o)) + (hash(ivec2(at)) - 0.5) / 255.0;\n"
    "    t = plain ? pow(all, vec3(1.0 / 2.2)) : t;\n"
    "    return vec4(t, dot(t, vec3(0.3, 0.59, 0.11)));\n"
    "}\n";

const char *const shader_dry = "vec2 pixel_at() { return flipped_at(); }\n"
                               "vec3 sun_through(vec3 p) { return vec3(1.0); }\n"
                               "vec4 finished(vec3 all, bool plain) { return toned(all, plain); }\n";

const char *const shader_light_fragment =
    "uniform sampler2D colors, normals, depth, shade;\n"
    "out vec4 result;\n"
    "void main() {\n"
    "    vec2 at = pixel_at();\n"
    "    ivec2 q = ivec2(at);\n"
    "    vec4 c = texelFetch(colors, q, 0);\n"
    "    vec3 n = normal_of(texelFetch(normals, q, 0).rg), ray = view_ray(at);\n"
    "    float z = view_depth(texelFetch(depth, q, 0).r), d = length(ray);\n"
    "    float open = textureLod(shade, at / screen.xy, 0.0).r;\n"
    "    vec3 v = ray / d, p = eye.xyz + ray * z, color = c.rgb * c.rgb;\n"
    "    bool solid = c.a > 0.1, grain = solid && c.a < 0.325, body = c.a > 0.95, plain = c.a > 0.85 && "
    "!body;\n"
    "    bool glint = c.a > 0.5 && c.a < 0.8, marked = abs(c.a - 0.325) < 0.05;\n"
    "    float nl = dot(n, sun.xyz);\n"
    "    bool moving = (c.a > 0.44 && c.a < 0.5) || (c.a > 0.65 && c.a < 0.8);\n"
    "    bool field = moving && (c.a < 0.47 || (c.a > 0.65 && c.a < 0.68));\n"
    "    float wrap = body ? 0.0 : marked ? 0.45 : grain ? 0.3 : moving ? 0.2 : 0.1, soft = max((nl + "
    "wrap) / (1.0 + wrap), "
    "0.0);\n"
    "    float lit = soft * sun_light(p, n, solid && !plain && soft > 0.0, !grain, field ? 4.0 : moving ? "
    "10.0 : "
    "0.0);\n"
    "    vec3 dim = open / (1.0 - 0.8 * color * (1.0 - open));\n" // what hides the sky is as pale, and throws
                                                                  // light on
    "    vec3 fill = mix(ground_fill.rgb, sky_fill.rgb, 0.5 + 0.5 * n.y);\n"
    "    vec3 received = fill * dim + sun_color.rgb * (lit * sun_through(p));\n"
    "    for (int i = 0; i < 4; i++) {\n" // lamps, without shadows
    "        vec3 to = lamp_at[i].xyz - p;\n"
    "        float d2 = max(dot(to, to), lamp_at[i].w + 1e-6), facing = max(dot(n, to) * inversesqrt(d2), "
    "0.0);\n"
    "        received += lamp_color[i].rgb * (lamp_at[i].w * facing / d2);\n"
    "    }\n"
    "    vec3 light = color * (marked ? vec3(mix(0.85, dot(received, vec3(0.3, 0.59, 0.11)), 0.6)) : "
    "received);\n"
    "    float f = clamp(1.0 + dot(n, v), 0.0, 1.0), f2 = f * f;\n"
    // Of snow that moves only wet one has lost more red than blue: water shines on it.
    "    float wet = moving && !field ? clamp((0.93 - color.r / max(color.b, 1e-3)) * 4.0, 0.0, 1.0) : 0.0;\n"
    "    float mirror = body ? 0.025 + 0.3 * f2 * f2 * f : wet * (0.02 + 0.5 * f2 * f2 * f);\n"
    "    float nh = max(dot(n, normalize(sun.xyz - v)), 0.0), nh2 = nh * nh, nh4 = nh2 * nh2;\n"
    "    float shine = nh4 * nh4 * nh4 * nh4, above = clamp(2.0 * reflect(v, n).y, 0.0, 1.0);\n"
    "    light += mirror * open * mix(sky_low.rgb, sky_high.rgb, above);\n"
    "    float spark = body ? shine * shine * (0.12 + mirror) : shine * shine * wet * 0.5 + (glint ? 1.2 : "
    "0.0);\n"
    "    light += sun_color.rgb * (lit * spark);\n"
    "    float fog = solid ? 1.0 - exp(-right.w * max(d * z - up.w, 0.0)) : 1.0;\n"
    "    vec3 all = mix(light, backdrop(vec3(v.x, max(v.y, 0.0), v.z), solid), fog);\n"
    "    result = finished(plain ? color : all, plain);\n"
    "}\n";
