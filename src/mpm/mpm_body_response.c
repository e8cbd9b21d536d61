// Contact of snow with a dynamic body: the body's velocity after the contact is solved together with the
// nodes', six unknowns per body.
#include "mpm/mpm_contact.h"

#include "par/par.h"

// (M + K) motion = M before + r: K and r are the sums over the nodes in contact.
typedef struct response_sums {
    double k[6][6], r[6];
} response_sums;

typedef struct response_pass {
    const mpm_state *s;
    const struct contact_nodes *contacts;
    const mpm_collider *body;
} response_pass;

// A node exerts a (v - u) on the body, a = m ((1 - share) n n + share 1): fully along the normal, by the
// share that friction takes along the surface.
static void add_node(response_sums *t, double m, double share, const float v[3], const float n[3],
                     const double r[3]) {
    double a[3][3], g[3][6];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a[i][j] = m * ((1 - share) * (double)n[i] * (double)n[j] + (i == j ? share : 0));
    // u = g motion
    const double arm[3][3] = {{0, r[2], -r[1]}, {-r[2], 0, r[0]}, {r[1], -r[0], 0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            g[i][j] = i == j;
            g[i][3 + j] = arm[i][j];
        }
    double ag[3][6] = {{0}}, av[3] = {0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            av[i] += a[i][k] * (double)v[k];
            for (int j = 0; j < 6; j++) ag[i][j] += a[i][k] * g[k][j];
        }
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++) {
            t->r[i] += g[k][i] * av[k];
            for (int j = 0; j < 6; j++) t->k[i][j] += g[k][i] * ag[k][j];
        }
}

static void add_blocks(void *context, size_t begin, size_t end, void *partial) {
    const response_pass *p = context;
    for (size_t i = begin; i < end; i++) {
        const float *nodes = p->s->grid.nodes + (size_t)p->contacts->near[i] * BLOCK_FLOATS;
        for (uint32_t k = 0; k < p->contacts->count[i]; k++) {
            const contact_node *contact = &p->contacts->contacts[i * BLOCK_NODES + k];
            const float *node = nodes + 4 * contact->node;
            float at[3], u[3];
            node_place(p->s, p->contacts->near[i], contact->node, at);
            collider_velocity(p->body, at[0], at[1], at[2], u);
            float v[3] = {node[0] - u[0], node[1] - u[1], node[2] - u[2]};
            contact_result c = contact_evaluate(p->body, v, contact->n);
            if (!c.in_contact) continue;
            const double r[3] = {(double)at[0] - p->body->pivot.x, (double)at[1] - p->body->pivot.y,
                                 (double)at[2] - p->body->pivot.z};
            add_node(partial, (double)node[3], 1 - (double)c.tangential, node, contact->n, r);
        }
    }
}

static void join(void *into, const void *from) {
    response_sums *a = into;
    const response_sums *b = from;
    for (int i = 0; i < 6; i++) {
        a->r[i] += b->r[i];
        for (int j = 0; j < 6; j++) a->k[i][j] += b->k[i][j];
    }
}

// Gaussian elimination without pivoting: the matrix is symmetric positive definite.
static void solve(double k[6][6], double r[6]) {
    for (int i = 0; i < 6; i++)
        for (int row = i + 1; row < 6; row++) {
            double f = k[row][i] / k[i][i];
            for (int j = i; j < 6; j++) k[row][j] -= f * k[i][j];
            r[row] -= f * r[i];
        }
    for (int i = 5; i >= 0; i--) {
        for (int j = i + 1; j < 6; j++) r[i] -= k[i][j] * r[j];
        r[i] /= k[i][i];
    }
}

firn_status mpm_body_response(const mpm_state *s, const body_set *bodies,
                              const struct contact_nodes *contacts, mpm_collider *b) {
    enum { ROUNDS = 4 }; // the set of contacts and their friction depend on the solution
    body_inertia inertia = body_inertia_now(bodies, b->body);
    const double before[6] = {b->velocity.x, b->velocity.y, b->velocity.z, b->spin.x, b->spin.y, b->spin.z};
    response_pass pass = {s, contacts, b};
    for (int round = 0; round < ROUNDS; round++) {
        response_sums t;
        TRY(par_reduce(contacts->blocks, 32, sizeof t, add_blocks, join, &pass, &t));
        for (int i = 0; i < 3; i++) {
            t.k[i][i] += inertia.mass;
            t.r[i] += inertia.mass * before[i];
            for (int j = 0; j < 3; j++) {
                t.k[3 + i][3 + j] += inertia.about[i][j];
                t.r[3 + i] += inertia.about[i][j] * before[3 + j];
            }
        }
        solve(t.k, t.r);
        b->velocity = dvec(t.r[0], t.r[1], t.r[2]);
        b->spin = dvec(t.r[3], t.r[4], t.r[5]);
    }
    return FIRN_OK;
}
