// Blocks, sums, nested calls, the embedding program's task system, locks and jobs. firn-test: threaded
#include "par/par.h"

#include "base/memory.h"
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const int thread_counts[] = {1, 2, 3, 8};
enum { THREAD_COUNTS = 4 };

#if defined(__SANITIZE_THREAD__)
enum { UNDER_TSAN = 1 };
#else
enum { UNDER_TSAN = 0 };
#endif

typedef struct visits {
    unsigned char *seen;
    size_t count, block;
    atomic_int wrong;
} visits;

static void visit_block(void *context, size_t begin, size_t end) {
    visits *v = context;
    bool whole = begin % v->block == 0 && (end == begin + v->block || end == v->count) && begin < end;
    if (!whole) atomic_fetch_add(&v->wrong, 1);
    for (size_t i = begin; i < end; i++) v->seen[i]++;
}

static void every_item_is_visited_once_in_fixed_blocks(void **state) {
    (void)state;
    const size_t counts[] = {0, 1, 2, 63, 64, 65, 1000, 100003}, blocks[] = {1, 7, 64, 100000, 1000000};
    for (int t = 0; t < THREAD_COUNTS; t++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
                if (blocks[b] == 1 && counts[c] > 1000) continue;
                firn_set_threads(thread_counts[t]);
                visits v = {calloc(counts[c] + 1, 1), counts[c], blocks[b], 0};
                par_for(counts[c], blocks[b], visit_block, &v);
                assert_int_equal(atomic_load(&v.wrong), 0);
                for (size_t i = 0; i < counts[c]; i++) assert_int_equal(v.seen[i], 1);
                free(v.seen);
            }
    firn_set_threads(0);
}

static void many_small_calls_in_a_row(void **state) {
    (void)state;
    for (int t = 0; t < THREAD_COUNTS; t++) {
        firn_set_threads(thread_counts[t]);
        unsigned char seen[40] = {0};
        for (int round = 0; round < 2000; round++) {
            visits v = {seen, 40, 3, 0};
            par_for(40, 3, visit_block, &v);
            for (int i = 0; i < 40; i++) assert_int_equal(seen[i], (unsigned char)(round + 1));
        }
    }
    firn_set_threads(0);
}

typedef struct robbed {
    pthread_t caller;
    atomic_int by_others;
    bool slow;
} robbed;

// A worker that sleeps has work but no core, as if another program had taken it.
static void note_thread(void *context, size_t begin, size_t end) {
    (void)begin, (void)end;
    robbed *r = context;
    bool other = !pthread_equal(pthread_self(), r->caller);
    if (other) atomic_fetch_add(&r->by_others, 1);
    if (r->slow) usleep(other ? 50000 : 100);
}

static void nobody_waits_again_for_a_thread_that_lost_its_core(void **state) {
    (void)state;
    firn_set_threads(2);
    robbed r = {pthread_self(), 0, true};
    for (int round = 0; round < 100 && atomic_load(&r.by_others) == 0; round++)
        par_for(8, 1, note_thread, &r);
    assert_true(atomic_load(&r.by_others) > 0);
    r.slow = false;
    atomic_store(&r.by_others, 0);
    par_for(1000, 1, note_thread, &r);
    assert_int_equal(atomic_load(&r.by_others), 0);
    usleep(1000000); // and later it is asked to help again
    r.slow = true;
    for (int round = 0; round < 100 && atomic_load(&r.by_others) == 0; round++)
        par_for(8, 1, note_thread, &r);
    assert_true(atomic_load(&r.by_others) > 0);
    firn_set_threads(0);
}

static void threads_may_change_between_calls(void **state) {
    (void)state;
    unsigned char seen[100] = {0};
    for (int round = 0; round < 60; round++) {
        firn_set_threads(1 + round * 7 % 11);
        assert_int_equal(firn_threads(), 1 + round * 7 % 11);
        visits v = {seen, 100, 5, 0};
        par_for(100, 5, visit_block, &v);
    }
    for (int i = 0; i < 100; i++) assert_int_equal(seen[i], 60);
    assert_int_equal(firn_set_threads(-5), FIRN_BAD_INPUT);
    assert_true(firn_threads() >= 1);
    firn_set_threads(1 << 30);
    assert_true(firn_threads() <= 256);
    firn_set_threads(0);
    assert_true(firn_threads() >= 1);
}

// Terms of very different size: any other order of adding gives other bits.
static double uneven_sum(void *context, size_t begin, size_t end) {
    uint64_t seed = *(uint64_t *)context;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        random4 r = random_bits(seed, i, 0, 0);
        sum += (random_unit(r, 0) - 0.5f) * exp(40.0 * random_unit(r, 1) - 20.0);
    }
    return sum;
}

static double largest_of_block(void *context, size_t begin, size_t end) {
    const double *values = context;
    double largest = values[begin];
    for (size_t i = begin; i < end; i++)
        if (values[i] > largest || values[i] != values[i]) largest = values[i];
    return largest;
}

static void sums_have_the_same_bits_for_any_threads(void **state) {
    (void)state;
    uint64_t seed = 20240117;
    const size_t counts[] = {0, 1, 999, 60000}, blocks[] = {17, 1024};
    for (size_t c = 0; c < 4; c++)
        for (size_t b = 0; b < 2; b++) {
            double expected = 0;
            for (size_t at = 0; at < counts[c]; at += blocks[b]) {
                size_t end = at + blocks[b] < counts[c] ? at + blocks[b] : counts[c];
                double part = uneven_sum(&seed, at, end);
                expected = at == 0 ? part : expected + part;
            }
            for (int t = 0; t < THREAD_COUNTS; t++) {
                firn_set_threads(thread_counts[t]);
                double sum = par_sum(counts[c], blocks[b], uneven_sum, &seed);
                assert_memory_equal(&sum, &expected, sizeof sum);
            }
        }
    firn_set_threads(0);
}

static void max_finds_the_largest_and_keeps_nan(void **state) {
    (void)state;
    enum { N = 5000 };
    double values[N];
    for (size_t i = 0; i < N; i++) values[i] = -1 - random_unit(random_bits(7, i, 0, 0), 0);
    values[3777] = -0.25;
    firn_set_threads(3);
    assert_true(par_max(N, 64, largest_of_block, values) == -0.25);
    values[100] = NAN;
    assert_true(isnan(par_max(N, 64, largest_of_block, values)));
    assert_true(par_max(0, 64, largest_of_block, values) == 0);
    firn_set_threads(0);
}

// "Last block wins, length added": joins that are not commutative show the order.
typedef struct chain {
    size_t first, last, blocks, broken;
} chain;

static void chain_block(void *context, size_t begin, size_t end, void *partial) {
    (void)context;
    chain *c = partial;
    c->broken += c->blocks; // must come zeroed
    *c = (chain){begin, end, 1, c->broken};
}

static void chain_join(void *into, const void *from) {
    chain *a = into;
    const chain *b = from;
    *a = (chain){a->first, b->last, a->blocks + b->blocks, a->broken + b->broken + (a->last != b->first)};
}

static void reduce_joins_in_block_order(void **state) {
    (void)state;
    for (int t = 0; t < THREAD_COUNTS; t++) {
        firn_set_threads(thread_counts[t]);
        chain c;
        assert_int_equal(par_reduce(10000, 3, sizeof c, chain_block, chain_join, NULL, &c), FIRN_OK);
        assert_int_equal(c.first, 0);
        assert_int_equal(c.last, 10000);
        assert_int_equal(c.blocks, 3334);
        assert_int_equal(c.broken, 0);
        assert_int_equal(par_reduce(0, 3, sizeof c, chain_block, chain_join, NULL, &c), FIRN_OK);
        assert_int_equal(c.blocks, 0);
    }
    firn_set_threads(0);
    assert_int_equal(mem_in_use(), 0);
}

static void *no_memory(void *context, size_t bytes) {
    (void)context;
    (void)bytes;
    return NULL;
}
static void no_release(void *context, void *memory, size_t bytes) {
    (void)context;
    (void)memory;
    (void)bytes;
}

static void without_memory_there_is_an_error_and_no_crash(void **state) {
    (void)state;
    firn_allocator none = {no_memory, no_release, NULL};
    firn_set_allocator(&none);
    chain c;
    assert_int_equal(par_reduce(10, 3, sizeof c, chain_block, chain_join, NULL, &c), FIRN_NO_MEMORY);
    par_job *job;
    assert_int_equal(par_job_start(free, NULL, &job), FIRN_NO_MEMORY);
    assert_null(job);
    par_job_wait(job);
    firn_set_allocator(NULL);
}

typedef struct nest {
    int order[16];
    int used;
    atomic_int *total;
} nest;

static void inner_task(void *context, size_t i) {
    nest *n = context;
    n->order[n->used++] = (int)i;
    atomic_fetch_add(n->total, 1);
}

static void outer_task(void *context, size_t i) {
    nest n = {.total = context};
    par_tasks(16, inner_task, &n);
    for (int k = 0; k < 16; k++)
        if (n.order[k] != k) atomic_fetch_add(n.total, 1000000);
    (void)i;
}

static void calls_inside_a_task_run_in_place_and_in_order(void **state) {
    (void)state;
    firn_set_threads(4);
    atomic_int total = 0;
    for (int round = 0; round < 50; round++) par_tasks(20, outer_task, &total);
    assert_int_equal(atomic_load(&total), 50 * 20 * 16);
    firn_set_threads(0);
}

typedef struct own_system {
    int calls;
    size_t tasks;
} own_system;

// Backwards, to show that the order does not matter.
static void own_run(void *context, size_t count, void (*task)(void *task_context, size_t i),
                    void *task_context) {
    own_system *system = context;
    system->calls++;
    system->tasks += count;
    for (size_t i = count; i-- > 0;) task(task_context, i);
}

static void the_embedding_programs_task_system_is_used(void **state) {
    (void)state;
    uint64_t seed = 3;
    firn_set_threads(2);
    double expected = par_sum(1000, 10, uneven_sum, &seed);
    own_system own = {0};
    firn_task_system system = {own_run, 5, &own};
    firn_set_task_system(&system);
    assert_int_equal(firn_threads(), 5);
    double sum = par_sum(1000, 10, uneven_sum, &seed);
    assert_memory_equal(&sum, &expected, sizeof sum);
    assert_int_equal(own.calls, 1);
    assert_int_equal(own.tasks, 100);
    atomic_int total = 0;
    par_tasks(20, outer_task, &total);
    assert_int_equal(atomic_load(&total), 20 * 16);
    assert_int_equal(own.calls, 2); // the inner ones ran in place
    firn_set_task_system(NULL);
    assert_int_equal(firn_threads(), 2);
    par_tasks(20, outer_task, &total);
    assert_int_equal(own.calls, 2);
    firn_set_threads(0);
}

static par_lock counter_lock = PAR_LOCK_INIT;
static long counter;

static void count_up(void *context, size_t i) {
    (void)i;
    (void)context;
    par_lock_take(&counter_lock);
    counter++;
    par_lock_release(&counter_lock);
}

static void a_lock_keeps_others_out(void **state) {
    (void)state;
    firn_set_threads(4);
    counter = 0;
    par_tasks(20000, count_up, NULL);
    assert_int_equal(counter, 20000);
    firn_set_threads(0);
}

static void job_sum(void *context) {
    double *result = context;
    uint64_t seed = 99;
    *result = par_sum(20000, 100, uneven_sum, &seed);
}

static void jobs_run_beside_and_get_the_same_bits(void **state) {
    (void)state;
    double expected;
    job_sum(&expected);
    firn_set_threads(3);
    for (int round = 0; round < 5; round++) {
        double results[3], mine;
        par_job *jobs[3];
        for (int i = 0; i < 3; i++) assert_int_equal(par_job_start(job_sum, &results[i], &jobs[i]), FIRN_OK);
        job_sum(&mine);
        for (int i = 0; i < 3; i++) {
            par_job_wait(jobs[i]);
            assert_memory_equal(&results[i], &expected, sizeof expected);
        }
        assert_memory_equal(&mine, &expected, sizeof expected);
    }
    par_job_wait(NULL);
    firn_set_threads(0);
    assert_int_equal(mem_in_use(), 0);
}

static void a_forked_child_can_work_too(void **state) {
    (void)state;
    if (UNDER_TSAN) skip(); // it does not know threads after a fork
    firn_set_threads(3);
    double expected;
    job_sum(&expected);
    pid_t child = fork();
    if (child == 0) {
        double mine;
        job_sum(&mine);
        _exit(memcmp(&mine, &expected, sizeof mine) == 0 ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    firn_set_threads(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_visited_once_in_fixed_blocks),
        cmocka_unit_test(many_small_calls_in_a_row),
        cmocka_unit_test(nobody_waits_again_for_a_thread_that_lost_its_core),
        cmocka_unit_test(threads_may_change_between_calls),
        cmocka_unit_test(sums_have_the_same_bits_for_any_threads),
        cmocka_unit_test(max_finds_the_largest_and_keeps_nan),
        cmocka_unit_test(reduce_joins_in_block_order),
        cmocka_unit_test(without_memory_there_is_an_error_and_no_crash),
        cmocka_unit_test(calls_inside_a_task_run_in_place_and_in_order),
        cmocka_unit_test(the_embedding_programs_task_system_is_used),
        cmocka_unit_test(a_lock_keeps_others_out),
        cmocka_unit_test(jobs_run_beside_and_get_the_same_bits),
        cmocka_unit_test(a_forked_child_can_work_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
