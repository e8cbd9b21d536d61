#include "pbd/wet.h"
#include "base/clock.h"
static void test_x(void **state) {
    (void)state;
    double dx = atof(getenv("DX")?getenv("DX"):"0.02");
    double H = 0.4;
    wet_world w;
    wet_pool(&w, dvec(0, 0, 0), dvec(0.2, H, 0.2), dx);
    wet_box(&w, dvec(0, 0, 0), dvec(0.2, 2, 0.2));
    w.pbd.iterations = atoi(getenv("IT")?getenv("IT"):"4");
    w.pbd.substeps = atoi(getenv("SUB")?getenv("SUB"):"1");
    firn_world *world = wet_open(&w);
    pbd *s = soft_model(world);
    double t0 = clock_seconds();
    for (int frame = 0; frame <= 300; frame++) {
        if (frame % 30 == 0) {
            pbd_show(s);
            pbd_fluid *f = pbd_data(s, &pbd_density);
            double rho = 0, top = 0, low = 1e9, ke = 0, pe = 0, pslope=0, dmax=0;
            size_t n = s->p.count, m=0;
            for (size_t i = 0; i < n; i++) {
                float y = s->p.x[i][1];
                if (y < H - 3*dx) rho += f->density[i], m++;
                if (f->density[i] > dmax) dmax = f->density[i];
                top = fmax(top, y), low = fmin(low, y);
                ke += 0.5 * dvec_length2(pbd_at(s->p.v[i])) / (double)n;
                pe += y / (double)n;
                if (y > 0.3*H && y < 0.7 * H) pslope += f->pressure[i] / (1000 * 9.81 * (H - y)), dmax = dmax;
            }
            size_t mid=0; for (size_t i = 0; i < n; i++) mid += s->p.x[i][1] > 0.3*H && s->p.x[i][1] < 0.7*H;
            printf("%5.2f n %zu rho %.1f max %.1f top %.4f low %.4f mean y %.5f rms v %.5f  p/hydro %.3f  nb %.1f\n", frame / 60.0, n, rho / (double)m, dmax, top, low, pe, sqrt(2*ke), pslope/(double)mid, (double)f->block[0].first[255]/255);
        }
        assert_ok(firn_world_advance(world, 1.0 / 60));
    }
    printf("%.2f ms per step\n", (clock_seconds() - t0) / 300 * 1000);
    firn_world_close(world);
}
int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_x)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
