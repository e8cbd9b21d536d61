// What follows from the kernel and the spacing alone.
#include "pbd/pbd_fluid.h"

#include <math.h>

// A cubic lattice of spacing 1.
typedef struct lattice {
    double h;
    int n;
} lattice;

static double value_at(double q) { return q < 1 ? pow(1 - q, 4) * (1 + 4 * q) : 0; }

static double length_of(int x, int y, int z) { return sqrt((double)(x * x + y * y + z * z)); }

// Sum of W / W(0) over the layers from `lowest` on.
static double sum_of(lattice l, int lowest) {
    double sum = 0;
    for (int z = -l.n; z <= l.n; z++)
        for (int y = lowest; y <= l.n; y++)
            for (int x = -l.n; x <= l.n; x++) sum += value_at(length_of(x, y, z) / l.h);
    return sum;
}

// Sum of W / W(0) x^2.
static double moment_of(lattice l) {
    double sum = 0;
    for (int z = -l.n; z <= l.n; z++)
        for (int y = -l.n; y <= l.n; y++)
            for (int x = -l.n; x <= l.n; x++) sum += x * x * value_at(length_of(x, y, z) / l.h);
    return sum;
}

// |sum of grad W sin(k x)|^2 over all neighbours, and with k = 0 the sum of |grad W|^2: the largest of their
// ratios is the spectral radius of Jacobi.
static double symbol(lattice l, const double k[3], bool squares) {
    double sum[3] = {0}, square = 0;
    for (int z = -l.n; z <= l.n; z++)
        for (int y = -l.n; y <= l.n; y++)
            for (int x = -l.n; x <= l.n; x++) {
                double q = length_of(x, y, z) / l.h, slope = q < 1 ? pow(1 - q, 3) : 0;
                double wave = sin(k[0] * x + k[1] * y + k[2] * z);
                sum[0] += slope * x * wave, sum[1] += slope * y * wave, sum[2] += slope * z * wave;
                square += slope * slope * (x * x + y * y + z * z);
            }
    return squares ? square : sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2];
}

static double stiffest(lattice l) {
    enum { WAVES = 6 };
    double most = 0;
    for (int i = 0; i <= WAVES; i++)
        for (int j = 0; j <= i; j++)
            for (int m = 0; m <= j; m++) {
                const double k[3] = {M_PI * i / WAVES, M_PI * j / WAVES, M_PI * m / WAVES};
                most = fmax(most, symbol(l, k, false));
            }
    return most / symbol(l, (double[3]){0}, true);
}

// Distance at which a plane wall covers the share `want` of the kernel, in h.
static double distance_of(double want) {
    float slope;
    double low = 0, high = 1;
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        if ((double)fluid_wall_fraction((float)middle, &slope) > want)
            low = middle;
        else
            high = middle;
    }
    return low;
}

fluid_kernel fluid_kernel_of(double h, double spacing) {
    lattice l = {h / spacing, (int)ceil(h / spacing)};
    double full = sum_of(l, -l.n), factor = 1 / (full * spacing * spacing * spacing);
    // A lattice half a spacing from a wall lacks what its mirror image beyond the wall would add.
    double mirror = sum_of(l, 1) / full;
    return (fluid_kernel){
        .h = h,
        .w_norm = factor,
        .grad_norm = factor * 20 / (h * h),
        .spread = moment_of(l) / full * spacing * spacing,
        .wall_shift = distance_of(mirror) * h - spacing / 2,
        .jacobi_step = 0.95 / stiffest(l),
    };
}
