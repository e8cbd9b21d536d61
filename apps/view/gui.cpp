// The window: GLFW, OpenGL 3.3 and Dear ImGui.
#include "gui.h"

#include <GLFW/glfw3.h>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_map>

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

namespace {

struct place {
    float x, y;
    int frame;
};

// Input that a script plays.
struct played {
    bool on;
    double x, y, wheel;
    unsigned buttons;
    int key, held; // held: released in the next frame
    std::string text;
};

} // namespace

struct gui {
    GLFWwindow *window;
    GLuint texture, right;
    int width, height;             // of the picture
    int right_width, right_height; // of the one beside it; 0: there is none
    std::string layout, dropped, dropped_given;
    std::unordered_map<std::string, place> places;
    played play;
    int frames;
    bool has_imgui;
    bool fresh;        // another picture came since the window was drawn
    double drawn;      // when that was
    uint64_t drawn_as; // hash of what was drawn
};

static char last_error[256];

static void on_error(int code, const char *text) {
    snprintf(last_error, sizeof last_error, "%s (GLFW %d)", text, code);
}

static void on_drop(GLFWwindow *window, int count, const char **paths) {
    gui *g = static_cast<gui *>(glfwGetWindowUserPointer(window));
    if (count > 0) g->dropped = paths[0];
}

// It was covered, or has another size.
static void on_refresh(GLFWwindow *window) {
    static_cast<gui *>(glfwGetWindowUserPointer(window))->fresh = true;
}

static bool open_window(gui *g, const gui_options *o, char *why, size_t room) {
    glfwSetErrorCallback(on_error);
    if (!glfwInit()) {
        snprintf(why, room, "cannot open a window: %s. Is there a display (DISPLAY, WAYLAND_DISPLAY)?",
                 last_error);
        return false;
    }
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    g->window = glfwCreateWindow(o->width, o->height, o->title, nullptr, nullptr);
    if (!g->window) {
        snprintf(why, room, "cannot open a window with OpenGL 3.3: %s", last_error);
        glfwTerminate();
        return false;
    }
    glfwSetWindowUserPointer(g->window, g);
    glfwSetDropCallback(g->window, on_drop);
    glfwSetWindowRefreshCallback(g->window, on_refresh);
    glfwMakeContextCurrent(g->window);
    glfwSwapInterval(0); // gui_begin waits; waiting here would block the window
    return true;
}

static void load_font() {
    static const char *const files[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                                        "/usr/share/fonts/TTF/DejaVuSans.ttf"};
    for (const char *file : files) {
        FILE *there = fopen(file, "rb");
        if (!there) continue;
        fclose(there);
        if (ImGui::GetIO().Fonts->AddFontFromFileTTF(file, 14.0f)) return;
    }
}

static void warm_up(gui *g);

gui *gui_open(const gui_options *o, char *why, size_t room) {
    gui *g = new gui();
    if (!open_window(g, o, why, room)) {
        delete g;
        return nullptr;
    }
    IMGUI_CHECKVERSION();
    ImGui::CreateContext();
    ImGuiIO &io = ImGui::GetIO();
    g->layout = o->layout ? o->layout : "";
    io.IniFilename = o->layout ? g->layout.c_str() : nullptr;
    load_font();
    gui_style(g, o->scale, o->light);
    ImGui_ImplGlfw_InitForOpenGL(g->window, true);
    if (!ImGui_ImplOpenGL3_Init("#version 330")) {
        snprintf(why, room, "cannot use OpenGL 3.3 on this display");
        gui_close(g);
        return nullptr;
    }
    g->has_imgui = true;
    glGenTextures(1, &g->texture);
    glGenTextures(1, &g->right);
    warm_up(g);
    return g;
}

void gui_close(gui *g) {
    if (!g) return;
    if (g->has_imgui) ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
    glfwDestroyWindow(g->window);
    glfwTerminate();
    delete g;
}

void gui_style(gui *g, double scale, bool light) {
    (void)g;
    if (light)
        ImGui::StyleColorsLight();
    else
        ImGui::StyleColorsDark();
    ImGui::GetStyle().WindowRounding = 4;
    ImGui::GetStyle().Colors[ImGuiCol_WindowBg].w = 0.88f;
    ImGui::GetIO().FontGlobalScale = static_cast<float>(scale);
}

void gui_wake(void) { glfwPostEmptyEvent(); }
void gui_title(gui *g, const char *title) { glfwSetWindowTitle(g->window, title); }
void gui_size(const gui *g, int *width, int *height) { glfwGetFramebufferSize(g->window, width, height); }

const char *gui_dropped(gui *g) {
    g->dropped_given = g->dropped;
    g->dropped.clear();
    return g->dropped_given.empty() ? nullptr : g->dropped_given.c_str();
}

static void play_input(gui *g) {
    ImGuiIO &io = ImGui::GetIO();
    played &p = g->play;
    if (!p.on) return;
    io.MousePos = ImVec2(static_cast<float>(p.x), static_cast<float>(p.y));
    for (int i = 0; i < 3; i++) io.MouseDown[i] = (p.buttons >> i & 1) != 0;
    io.MouseWheel = static_cast<float>(p.wheel);
    p.wheel = 0;
    if (p.held) io.KeysDown[p.held] = false;
    p.held = p.key;
    if (p.key) io.KeysDown[p.key] = true;
    p.key = 0;
    if (!p.text.empty()) io.AddInputCharactersUTF8(p.text.c_str());
    p.text.clear();
}

void gui_wait(gui *g, double seconds) {
    (void)g;
    if (seconds > 0)
        glfwWaitEventsTimeout(seconds);
    else
        glfwPollEvents();
}

bool gui_begin(gui *g) {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    play_input(g);
    ImGui::NewFrame();
    g->frames++;
    return !glfwWindowShouldClose(g->window);
}

static void draw_all(const gui *g) {
    int width, height;
    gui_size(g, &width, &height);
    glViewport(0, 0, width, height);
    glClearColor(0.25f, 0.29f, 0.34f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

static uint64_t mix(uint64_t hash, const void *data, size_t bytes) {
    const uint64_t prime = 0x9E3779B97F4A7C15u;
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        uint64_t word;
        memcpy(&word, static_cast<const char *>(data) + i, 8);
        hash = (hash ^ word) * prime;
        hash ^= hash >> 29;
    }
    return (hash ^ bytes) * prime;
}

// Of all that would be drawn but for the picture's pixels.
static uint64_t hash_of_frame() {
    const ImDrawData *all = ImGui::GetDrawData();
    uint64_t hash = mix(0, &all->DisplaySize, sizeof all->DisplaySize);
    for (int i = 0; i < all->CmdListsCount; i++) {
        const ImDrawList *list = all->CmdLists[i];
        hash =
            mix(hash, list->VtxBuffer.Data, sizeof(ImDrawVert) * static_cast<size_t>(list->VtxBuffer.Size));
        hash = mix(hash, list->IdxBuffer.Data, sizeof(ImDrawIdx) * static_cast<size_t>(list->IdxBuffer.Size));
    }
    return hash;
}

static bool has_input() {
    const ImGuiIO &io = ImGui::GetIO();
    bool any = io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || io.MouseWheel != 0 ||
               io.InputQueueCharacters.Size > 0;
    for (int i = 0; i < 3; i++) any = any || io.MouseDown[i] || ImGui::IsMouseReleased(i);
    for (bool down : io.KeysDown) any = any || down;
    return any;
}

// Drawing costs more than all else of a frame where a processor does it: pictures and what hands do are shown
// at once, numbers that change ten times a second, and what is as it was not at all.
static bool must_draw(gui *g) {
    double now = glfwGetTime();
    bool soon = g->fresh || has_input();
    if (!soon && now - g->drawn < 0.1) return false;
    uint64_t hash = hash_of_frame();
    if (!g->fresh && hash == g->drawn_as) return false;
    g->drawn_as = hash;
    g->drawn = now;
    g->fresh = false;
    return true;
}

void gui_end(gui *g) {
    ImVec2 size = ImGui::GetIO().DisplaySize;
    auto show = [&](GLuint texture, float left, float right) {
        void *id = reinterpret_cast<void *>(static_cast<intptr_t>(texture));
        ImGui::GetBackgroundDrawList()->AddImage(id, ImVec2(left, 0), ImVec2(right, size.y));
    };
    float middle = g->right_width > 0 ? std::floor(0.5f * size.x) : size.x;
    if (g->width > 0) show(g->texture, 0, middle);
    if (g->right_width > 0) {
        show(g->right, middle, size.x);
        ImGui::GetBackgroundDrawList()->AddLine(ImVec2(middle, 0), ImVec2(middle, size.y),
                                                IM_COL32(255, 255, 255, 255), 2);
    }
    ImGui::Render();
    if (!must_draw(g)) return;
    draw_all(g);
    glfwSwapBuffers(g->window);
}

static void fill_texture(GLuint texture, bool same, const uint8_t *rgba, int width, int height) {
    glBindTexture(GL_TEXTURE_2D, texture);
    if (same) {
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
        return;
    }
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
}

void gui_picture(gui *g, const uint8_t *rgba, int width, int height) {
    fill_texture(g->texture, width == g->width && height == g->height, rgba, width, height);
    g->width = width;
    g->height = height;
    g->fresh = true;
}

// Fonts are drawn and programs compiled for the first frame: before anybody waits for an answer.
static void warm_up(gui *g) {
    const uint8_t grey[4] = {64, 74, 87, 255};
    gui_picture(g, grey, 1, 1);
    gui_begin(g);
    ImGui::GetForegroundDrawList()->AddText(ImVec2(8, 8), IM_COL32(255, 255, 255, 160), "firn");
    gui_end(g);
    glFinish();
    g->width = g->height = 0;
    g->fresh = true;
}

void gui_picture_right(gui *g, const uint8_t *rgba, int width, int height) {
    if (rgba)
        fill_texture(g->right, width == g->right_width && height == g->right_height, rgba, width, height);
    g->fresh = true;
    g->right_width = rgba ? width : 0;
    g->right_height = rgba ? height : 0;
}

unsigned gui_texture(gui *g, const uint8_t *rgba, int width, int height) {
    GLuint texture = 0;
    glGenTextures(1, &texture);
    if (texture) fill_texture(texture, false, rgba, width, height);
    g->fresh = true;
    return texture;
}

uint8_t *gui_screenshot(gui *g, int *width, int *height) {
    gui_size(g, width, height);
    size_t row = 4 * static_cast<size_t>(*width), rows = static_cast<size_t>(*height);
    uint8_t *pixels = static_cast<uint8_t *>(malloc(2 * row * rows + 1));
    if (!pixels) return nullptr;
    uint8_t *upside_down = pixels + row * rows;
    draw_all(g); // what is in front cannot be read everywhere
    glReadBuffer(GL_BACK);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, *width, *height, GL_RGBA, GL_UNSIGNED_BYTE, upside_down);
    for (size_t y = 0; y < rows; y++) memcpy(pixels + y * row, upside_down + (rows - 1 - y) * row, row);
    for (size_t i = 3; i < row * rows; i += 4) pixels[i] = 255;
    return pixels;
}

gui_mouse gui_mouse_now(const gui *) {
    const ImGuiIO &io = ImGui::GetIO();
    gui_mouse m = {};
    bool there = ImGui::IsMousePosValid();
    m.x = there ? io.MousePos.x : -1;
    m.y = there ? io.MousePos.y : -1;
    m.dx = io.MouseDelta.x;
    m.dy = io.MouseDelta.y;
    m.wheel = io.MouseWheel;
    for (int i = 0; i < 3; i++) {
        m.down[i] = io.MouseDown[i];
        m.pressed[i] = ImGui::IsMouseClicked(i);
        m.released[i] = ImGui::IsMouseReleased(i);
    }
    m.over_window = io.WantCaptureMouse;
    m.shift = io.KeyShift;
    m.control = io.KeyCtrl;
    m.alt = io.KeyAlt;
    return m;
}

bool gui_key_pressed(const gui *, int key) {
    bool typing = ImGui::GetIO().WantTextInput && key != GLFW_KEY_F1;
    return !typing && key > 0 && key < IM_ARRAYSIZE(ImGui::GetIO().KeysDown) &&
           ImGui::IsKeyPressed(key, true);
}

bool gui_key_down(const gui *, int key) {
    const ImGuiIO &io = ImGui::GetIO();
    return !io.WantTextInput && key > 0 && key < IM_ARRAYSIZE(io.KeysDown) && io.KeysDown[key];
}

int gui_key_code(const char *name) {
    static const struct {
        const char *name;
        int key;
    } keys[] = {{"space", GLFW_KEY_SPACE},   {"left", GLFW_KEY_LEFT},   {"right", GLFW_KEY_RIGHT},
                {"up", GLFW_KEY_UP},         {"down", GLFW_KEY_DOWN},   {"home", GLFW_KEY_HOME},
                {"end", GLFW_KEY_END},       {"tab", GLFW_KEY_TAB},     {"enter", GLFW_KEY_ENTER},
                {"escape", GLFW_KEY_ESCAPE}, {"f1", GLFW_KEY_F1},       {"?", GLFW_KEY_SLASH},
                {"plus", GLFW_KEY_EQUAL},    {"minus", GLFW_KEY_MINUS}, {"backspace", GLFW_KEY_BACKSPACE},
                {"delete", GLFW_KEY_DELETE}, {".", GLFW_KEY_PERIOD}};
    for (const auto &k : keys)
        if (strcmp(k.name, name) == 0) return k.key;
    if (!name[0] || name[1]) return 0;
    char c = name[0];
    if (c >= 'a' && c <= 'z') return GLFW_KEY_A + (c - 'a');
    if ((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return c;
    return 0;
}

void gui_play_mouse(gui *g, double x, double y, unsigned buttons, double wheel) {
    g->play.on = true;
    g->play.x = x;
    g->play.y = y;
    g->play.buttons = buttons;
    g->play.wheel = wheel;
}

void gui_play_key(gui *g, int key) {
    g->play.on = true;
    g->play.key = key;
}

void gui_play_text(gui *g, const char *text) {
    g->play.on = true;
    g->play.text += text;
}

bool gui_find(const gui *g, const char *label, double *x, double *y) {
    auto found = g->places.find(label);
    if (found == g->places.end() || found->second.frame < g->frames - 1) return false;
    *x = found->second.x;
    *y = found->second.y;
    return true;
}

// ---- Widgets.

// Where the last widget is, so that scripts can click on it. A label's part behind ## is not shown, but
// belongs to its name.
static void note_place(gui *g, const char *label) {
    ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    if (!ImGui::IsItemVisible()) return;
    g->places[label] = {0.5f * (low.x + high.x), 0.5f * (low.y + high.y), g->frames};
}

void ui_place(gui *g, const char *label) { note_place(g, label); }

bool ui_window(gui *g, const char *title, double x, double y, double width, double height, bool *open) {
    (void)g;
    ImGui::SetNextWindowPos(ImVec2(static_cast<float>(x), static_cast<float>(y)), ImGuiCond_FirstUseEver);
    ImGui::SetNextWindowSize(ImVec2(static_cast<float>(width), static_cast<float>(height)),
                             ImGuiCond_FirstUseEver);
    if (!(height > 0)) { // as high as it needs, but not over the bar at the bottom
        float most = ImGui::GetIO().DisplaySize.y - static_cast<float>(y) - 96;
        ImGui::SetNextWindowSizeConstraints(ImVec2(static_cast<float>(width), 0),
                                            ImVec2(FLT_MAX, most > 120 ? most : 120));
    }
    ImGuiWindowFlags flags = height > 0 ? 0 : ImGuiWindowFlags_AlwaysAutoResize;
    bool shown = ImGui::Begin(title, open, ImGuiWindowFlags_NoFocusOnAppearing | flags);
    ImVec2 at = ImGui::GetWindowPos();
    float over = at.x + ImGui::GetWindowSize().x - ImGui::GetIO().DisplaySize.x;
    if (!(height > 0) && over > 0) ImGui::SetWindowPos(ImVec2(at.x - over, at.y)); // it grows with its text
    return shown;
}
void ui_window_end(void) { ImGui::End(); }

bool ui_button(gui *g, const char *label) {
    bool used = ImGui::Button(label);
    note_place(g, label);
    return used;
}

bool ui_toggle(gui *g, const char *label, bool *value) {
    bool used = ImGui::Checkbox(label, value);
    note_place(g, label);
    return used;
}

bool ui_slider(gui *g, const char *label, double *value, double low, double high, const char *format) {
    bool used = ImGui::SliderScalar(label, ImGuiDataType_Double, value, &low, &high, format);
    note_place(g, label);
    return used;
}

bool ui_slider_whole(gui *g, const char *label, int *value, int low, int high) {
    bool used = ImGui::SliderInt(label, value, low, high);
    note_place(g, label);
    return used;
}

bool ui_choice(gui *g, const char *label, int *value, const char *const *words, int count) {
    bool used = false, valid = *value >= 0 && *value < count;
    ImGui::SetNextWindowSizeConstraints(ImVec2(0, 0),
                                        ImVec2(FLT_MAX, 21 * ImGui::GetTextLineHeightWithSpacing()));
    bool open = ImGui::BeginCombo(label, valid ? words[*value] : "");
    note_place(g, label);
    for (int i = 0; open && i < count; i++) {
        ImGui::PushID(i);
        if (ImGui::Selectable(words[i], i == *value)) {
            used = i != *value;
            *value = i;
        }
        if (i == *value) ImGui::SetItemDefaultFocus();
        note_place(g, (std::string(label) + "/" + words[i]).c_str());
        ImGui::PopID();
    }
    if (open) ImGui::EndCombo();
    return used;
}

bool ui_field(gui *g, const char *label, char *text, size_t room) {
    bool entered = ImGui::InputText(label, text, room,
                                    ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    note_place(g, label);
    return entered;
}

bool ui_search(gui *g, const char *label, char *text, size_t room) {
    bool used = ImGui::InputText(label, text, room);
    note_place(g, label);
    return used;
}

bool ui_section(gui *g, const char *label, bool open) {
    bool shown = ImGui::CollapsingHeader(label, open ? ImGuiTreeNodeFlags_DefaultOpen : 0);
    note_place(g, label);
    return shown;
}

bool ui_row(gui *g, const char *label) {
    bool used = ImGui::Selectable(label);
    note_place(g, label);
    return used;
}

void ui_image(unsigned texture, double width, double height) {
    ImVec2 size(static_cast<float>(width), static_cast<float>(height));
    if (texture)
        ImGui::Image(reinterpret_cast<void *>(static_cast<intptr_t>(texture)), size);
    else
        ImGui::Dummy(size);
}
bool ui_visible(void) { return ImGui::IsItemVisible(); }
void ui_group(void) { ImGui::BeginGroup(); }
void ui_group_end(void) { ImGui::EndGroup(); }

void ui_text(const char *text) { ImGui::TextUnformatted(text); }
void ui_text_wrapped(const char *text) { ImGui::TextWrapped("%s", text); }
void ui_text_marked(const char *text) { ImGui::TextColored(ImVec4(1.0f, 0.65f, 0.1f, 1), "%s", text); }
void ui_text_dim(const char *text) { ImGui::TextDisabled("%s", text); }

void ui_help(const char *text) {
    if (!ImGui::IsItemHovered() || !text) return;
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(30 * ImGui::GetFontSize());
    ImGui::TextUnformatted(text);
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

void ui_same_line(double x) { ImGui::SameLine(static_cast<float>(x)); }
void ui_width(double width) { ImGui::SetNextItemWidth(static_cast<float>(width)); }
void ui_line(void) { ImGui::Separator(); }
void ui_id(int id) { ImGui::PushID(id); }
void ui_id_end(void) { ImGui::PopID(); }

void ui_plot(const char *label, const float *value, int count, double width, double height) {
    ImGui::PlotLines("##plot", value, count, 0, label, FLT_MAX, FLT_MAX,
                     ImVec2(static_cast<float>(width), static_cast<float>(height)));
}

bool ui_rose(gui *g, const char *label, double *from, double *speed, double most, double heading) {
    const float radius = 56, margin = 16;
    const double degree = 3.14159265358979323846 / 180;
    ImVec2 corner = ImGui::GetCursorScreenPos();
    ImVec2 middle(corner.x + radius + margin, corner.y + radius + margin);
    ImGui::InvisibleButton(label, ImVec2(2 * (radius + margin), 2 * (radius + margin)));
    note_place(g, label);
    bool used = ImGui::IsItemActive();
    if (used) {
        double dx = ImGui::GetIO().MousePos.x - middle.x, dy = ImGui::GetIO().MousePos.y - middle.y;
        double r = std::sqrt(dx * dx + dy * dy);
        *speed = std::fmin(r / radius, 1) * most;
        if (r > 2) *from = std::fmod(std::atan2(dx, -dy) / degree + heading + 720, 360);
    }
    auto at = [&](double bearing, double r) {
        double a = (bearing - heading) * degree;
        return ImVec2(middle.x + static_cast<float>(r * std::sin(a)),
                      middle.y - static_cast<float>(r * std::cos(a)));
    };
    ImDrawList *list = ImGui::GetWindowDrawList();
    const ImU32 ink = ImGui::GetColorU32(ImGuiCol_Text), dim = ImGui::GetColorU32(ImGuiCol_TextDisabled);
    const ImU32 mark = IM_COL32(255, 165, 25, 255);
    list->AddCircle(middle, radius, dim, 48);
    list->AddCircle(middle, 0.5f * radius, dim, 48);
    static const char *const names[] = {"N", "E", "S", "W"};
    for (int i = 0; i < 4; i++) {
        ImVec2 letter = at(90.0 * i, radius + 9), size = ImGui::CalcTextSize(names[i]);
        ImVec2 inner = at(90.0 * i, 0.5 * radius);
        list->AddText(ImVec2(letter.x - 0.5f * size.x, letter.y - 0.5f * size.y), ink, names[i]);
        g->places[std::string("wind from ") + names[i]] = {inner.x, inner.y, g->frames};
    }
    ImVec2 tail = at(*from, std::fmin(*speed / most, 1) * radius);
    list->AddLine(tail, middle, mark, 3);
    list->AddCircleFilled(tail, 5, mark);
    list->AddTriangleFilled(at(*from + 180, 9), at(*from - 90, 6), at(*from + 90, 6), mark); // downwind
    return used;
}

void ui_scroll_box(const char *label, double height) {
    ImGui::BeginChild(label, ImVec2(0, static_cast<float>(height)), false);
}
void ui_scroll_box_end(void) { ImGui::EndChild(); }
