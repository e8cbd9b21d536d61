// firn from C++: a world that closes itself, errors as exceptions, parameters that change while it runs.
//
// c++ -std=c++17 storm.cpp $(pkg-config --cflags --libs firn) -o storm && ./storm
#include <firn/firn.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

struct close_world {
    void operator()(firn_world *world) const { firn_world_close(world); }
};
using world_ptr = std::unique_ptr<firn_world, close_world>;

void need(firn_status status) {
    if (status != FIRN_OK) throw std::runtime_error(firn_last_error());
}

world_ptr open_text(const char *scene) {
    firn_world *world = nullptr;
    need(firn_world_open_text(scene, "storm", &world));
    return world_ptr(world);
}

const char *const scene = R"(
firn: 1
bodies:
  ground: {shape: plane}
  ball: {shape: {sphere: {radius: 10 cm}}, at: [0, 20, 0], motion: dynamic}
wind: {grid: [16, 8, 16], cell: 0.5, inflow: {speed: 2 m/s}}
flakes: {snowfall: 5 mm/h, shown: 1000}
)";

double fastest_air(const firn_world *world) {
    for (size_t i = 0; i < firn_world_ledger_count(world); i++) {
        firn_ledger ledger = firn_world_ledger(world, i);
        if (ledger.model == std::string("wind")) return ledger.max_speed;
    }
    return 0;
}

} // namespace

int main() try {
    world_ptr world = open_text(scene);
    need(firn_world_advance(world.get(), 1.0));
    double calm = fastest_air(world.get());
    need(firn_world_set(world.get(), "wind.inflow.speed", 10)); // m/s
    need(firn_world_advance(world.get(), 1.0));
    double fallen = 20 - firn_world_body_state(world.get(), 1).position.y;
    std::printf("wind %.1f, then %.1f m/s; the ball fell %.2f m\n", calm, fastest_air(world.get()), fallen);
    return fallen > 18.5 && fallen < 19.7 && fastest_air(world.get()) > 2 * calm ? 0 : 1;
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
