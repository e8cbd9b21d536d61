// firn-test: threaded
// Worlds with a context of their own: memory, threads and log are the context's, two of them run in parallel
// in two threads, and the bits are those of a world alone.
#include "cache/folders.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/context.h"
#include "base/memory.h"
#include "par/par.h"

enum { STEPS = FIRN_FEWER > 1 ? 4 : 12 };

static const char all_models[] = FIRN_TEST_DATA "/scenes/all-models.yaml";
// Some grains start inside the ball: there is a note of it.
static const char grains_in_a_ball[] =
    "firn: 1\nduration: 1 s\nbodies: {ball: {shape: {sphere: {radius: 20 cm}}}}\n"
    "grains: {radius: 2 cm, fill: {cube: {shape: {box: {size: [1, 1, 1]}}, spacing: 5 cm}}}\n";

// What a context is asked for. Blocks carry the owner's address in front.
typedef struct owner {
    atomic_size_t allocated, released, bytes, foreign, runs, notes;
    atomic_size_t fail_at; // allocation that fails, from 1; 0: none
    atomic_bool failed;
} owner;

typedef struct tag {
    owner *from;
    char padding[64 - sizeof(owner *)];
} tag;

static void *own_allocate(void *context, size_t bytes) {
    owner *o = context;
    if (atomic_fetch_add(&o->allocated, 1) + 1 == atomic_load(&o->fail_at)) {
        atomic_fetch_sub(&o->allocated, 1);
        atomic_store(&o->fail_at, 0);
        atomic_store(&o->failed, true);
        return NULL;
    }
    tag *t = aligned_alloc(64, (sizeof(tag) + bytes + 63) / 64 * 64);
    if (!t) return NULL;
    t->from = o;
    atomic_fetch_add(&o->bytes, bytes);
    return t + 1;
}

static void own_release(void *context, void *memory, size_t bytes) {
    owner *o = context;
    tag *t = (tag *)memory - 1;
    if (t->from != o) atomic_fetch_add(&o->foreign, 1);
    atomic_fetch_add(&o->released, 1);
    atomic_fetch_sub(&o->bytes, bytes);
    free(t);
}

static void own_log(void *context, firn_log_level level, const char *message) {
    (void)level;
    if (strstr(message, "grains: ")) atomic_fetch_add(&((owner *)context)->notes, 1);
}

static firn_context *make_context(owner *o, int threads) {
    firn_context_def def = firn_context_def_default();
    firn_context *context;
    def.allocator = (firn_allocator){own_allocate, own_release, o};
    def.threads = threads;
    def.log = own_log;
    def.log_context = o;
    assert_ok(firn_context_create(&def, &context));
    return context;
}

static void assert_all_returned(const owner *o) {
    assert_true(atomic_load(&o->allocated) > 0);
    assert_int_equal(atomic_load(&o->allocated), atomic_load(&o->released));
    assert_int_equal(atomic_load(&o->bytes), 0);
    assert_int_equal(atomic_load(&o->foreign), 0);
}

// Tasks of several callers that end only when all have begun, each on a thread of its own.
typedef struct meeting {
    atomic_int begun;
    int wanted;
    atomic_bool late;
} meeting;

static void meet(void *context, size_t i) {
    meeting *m = context;
    time_t start = time(NULL);
    (void)i;
    atomic_fetch_add(&m->begun, 1);
    while (atomic_load(&m->begun) < m->wanted && !atomic_load(&m->late)) {
        if (time(NULL) - start > 60) atomic_store(&m->late, true);
        sched_yield();
    }
}

// ---- two threads, a world each

typedef struct user {
    firn_context *context; // NULL: the process's
    meeting *meeting;
    pthread_t thread;
    uint64_t hash;
    firn_status status;
    char message[400];
} user;

static firn_status use_world(user *u) {
    firn_world *world;
    firn_set_context(u->context);
    TRY(firn_world_open(all_models, &world));
    firn_status status = FIRN_OK;
    for (int i = 0; i < STEPS && status == FIRN_OK; i++) status = firn_world_step(world);
    usleep(300000); // a pool that lost a core works alone for a tenth of a second
    par_tasks(2, meet, u->meeting);
    u->hash = firn_world_hash(world);
    firn_world_close(world);
    firn_set_context(NULL);
    return status;
}

static void *user_body(void *argument) {
    user *u = argument;
    u->status = use_world(u);
    if (u->status != FIRN_OK) snprintf(u->message, sizeof u->message, "%s", firn_last_error());
    fail_forget();
    return NULL;
}

static void use_two(user users[2]) {
    meeting m = {.wanted = 4};
    for (int i = 0; i < 2; i++) {
        users[i].meeting = &m;
        assert_int_equal(pthread_create(&users[i].thread, NULL, user_body, &users[i]), 0);
    }
    for (int i = 0; i < 2; i++) pthread_join(users[i].thread, NULL);
    for (int i = 0; i < 2; i++)
        if (users[i].status != FIRN_OK) fail_msg("%s", users[i].message);
    assert_false(atomic_load(&m.late)); // two tasks of each ran at the same time
    assert_true(users[0].hash == users[1].hash);
}

static uint64_t hash_alone(void) {
    meeting alone = {.wanted = 2};
    user u = {.meeting = &alone};
    assert_ok(firn_set_threads(2));
    assert_ok(use_world(&u));
    return u.hash;
}

static void two_threads_with_a_context_each(void **state) {
    (void)state;
    owner owners[2] = {0};
    user users[2] = {0};
    uint64_t alone = hash_alone();
    for (int i = 0; i < 2; i++) users[i].context = make_context(&owners[i], 2 + i);
    size_t before = mem_in_use();
    use_two(users);
    assert_true(users[0].hash == alone);
    assert_int_equal(mem_in_use(), before); // of the process: nothing was asked of it
    for (int i = 0; i < 2; i++) {
        assert_ok(firn_context_close(users[i].context));
        assert_all_returned(&owners[i]);
    }
}

static void two_threads_without_a_context(void **state) {
    (void)state;
    user users[2] = {0};
    uint64_t alone = hash_alone();
    use_two(users);
    assert_true(users[0].hash == alone);
}

static void *meet_body(void *argument) {
    par_tasks(2, meet, argument);
    return NULL;
}

// More threads than there are pools: those beyond work alone, and none waits for another.
static void many_threads_at_once(void **state) {
    (void)state;
    enum { CALLERS = 12 };
    pthread_t thread[CALLERS];
    meeting m = {.wanted = CALLERS};
    assert_ok(firn_set_threads(2));
    for (int i = 0; i < CALLERS; i++) assert_int_equal(pthread_create(&thread[i], NULL, meet_body, &m), 0);
    for (int i = 0; i < CALLERS; i++) pthread_join(thread[i], NULL);
    assert_false(atomic_load(&m.late));
    assert_int_equal(atomic_load(&m.begun), 2 * CALLERS);
}

// ---- what belongs to whom

static void notes_go_to_the_worlds_own_handler(void **state) {
    (void)state;
    owner first = {0}, second = {0}, process = {0};
    firn_context *a = make_context(&first, 1), *b = make_context(&second, 1);
    firn_world *world;
    firn_set_log(own_log, &process);
    firn_set_context(a);
    assert_ok(firn_world_open_text(grains_in_a_ball, "a.yaml", &world));
    firn_world_close(world);
    assert_int_equal(atomic_load(&first.notes), 1);
    firn_set_context(NULL);
    assert_ok(firn_world_open_text(grains_in_a_ball, "b.yaml", &world));
    firn_world_close(world);
    assert_int_equal(atomic_load(&process.notes), 1);
    assert_int_equal(atomic_load(&first.notes), 1);
    assert_int_equal(atomic_load(&second.notes), 0);
    assert_ok(firn_context_close(a));
    assert_ok(firn_context_close(b));
    firn_context_def silent = firn_context_def_default(); // its handler is the process's
    assert_ok(firn_context_create(&silent, &a));
    firn_set_context(a);
    assert_ok(firn_world_open_text(grains_in_a_ball, "c.yaml", &world));
    firn_world_close(world);
    firn_set_context(NULL);
    assert_int_equal(atomic_load(&process.notes), 2);
    assert_ok(firn_context_close(a));
    firn_set_log(NULL, NULL);
}

// Whatever is this thread's context: a world's memory is its own context's.
static void calls_on_a_world_use_its_context(void **state) {
    (void)state;
    owner o = {0}, other = {0};
    firn_context *context = make_context(&o, 3), *wrong = make_context(&other, 1);
    firn_world *world;
    void *data;
    size_t bytes;
    firn_set_context(context);
    assert_int_equal(firn_threads(), 3);
    assert_ok(firn_world_open(all_models, &world));
    firn_set_context(wrong);
    assert_int_equal(firn_threads(), 1);
    size_t asked = atomic_load(&other.allocated), before = mem_in_use();
    assert_ok(firn_world_step(world));
    assert_ok(firn_world_advance(world, 0.002));
    assert_ok(firn_world_save(world, &data, &bytes));
    assert_ok(firn_world_load(world, data, bytes));
    assert_ok(firn_world_set_vector(world, "gravity", (firn_vec3){0, -1, 0}));
    for (size_t i = 0; i < firn_world_ledger_count(world); i++) firn_world_ledger(world, i);
    firn_cells changes[4];
    firn_world_snowfield_changes(world, changes, 4);
    assert_ok(firn_world_step(world));
    assert_int_equal(atomic_load(&other.allocated), asked);
    assert_int_equal(mem_in_use(), before);
    assert_int_equal(firn_context_close(context), FIRN_BAD_INPUT); // a world is open
    assert_non_null(strstr(firn_last_error(), "not closed"));
    firn_world_close(world);
    assert_int_equal(firn_context_close(context), FIRN_BAD_INPUT); // data is not given back
    firn_data_free(data);
    assert_ok(firn_context_close(context));
    assert_ok(firn_context_close(wrong)); // it was this thread's: now that is the process's
    assert_true(context_here() == &process_context);
    assert_all_returned(&o);
    assert_all_returned(&other);
}

// Calls without a world: what they do is the context's, too, also on their threads.
static void a_run_with_its_pictures_asks_nothing_of_the_process(void **state) {
    (void)state;
    owner o = {0}, process = {0};
    firn_context *context = make_context(&o, 2);
    temporary t = temporary_make();
    char run[300], picture[300], export[300], *text;
    uint64_t hash;
    firn_check check;
    firn_verify_result result;
    snprintf(run, sizeof run, "%s/run", t.path);
    snprintf(picture, sizeof picture, "%s/last.png", t.path);
    snprintf(export, sizeof export, "%s/export", t.path);
    assert_ok(firn_set_allocator(&(firn_allocator){own_allocate, own_release, &process}));
    firn_set_context(context);
    assert_ok(firn_hash(all_models, (firn_overrides){0}, 2, &hash));
    assert_ok(firn_scene_check(all_models, (firn_overrides){0}, 1, &check));
    firn_check_free(&check);
    assert_ok(firn_run(&(firn_run_options){COOKIE(run), .scene = all_models, .folder = run, .frames = 1}));
    assert_ok(firn_info(run, true, &text));
    firn_text_free(text);
    assert_ok(firn_verify(&(firn_verify_options){COOKIE(verify), .folder = run}, &result));
    firn_status drawn = firn_render(
        &(firn_render_options){COOKIE(render), .folder = run, .output = picture, .width = 64, .height = 48});
    assert_true(drawn == FIRN_OK || drawn == FIRN_UNSUPPORTED); // a build without OpenGL
    assert_ok(firn_export(
        &(firn_export_options){COOKIE(export), .folder = run, .output = export, .format = "ply"}));
    assert_ok(firn_explain("mpm", false, &text));
    firn_set_context(NULL);
    firn_text_free(text);
    assert_int_equal(atomic_load(&process.allocated), 0);
    assert_ok(firn_set_allocator(NULL));
    assert_ok(firn_context_close(context));
    assert_all_returned(&o);
    temporary_remove(&t);
}

// ---- what is [read] in the headers

typedef struct reader {
    const firn_world *world;
    pthread_t thread;
    uint64_t hash;
    double sum;
    size_t bytes;
} reader;

static double read_snow(const firn_world *world) {
    firn_snowfield snow;
    float surface[64], depth[64], density[64];
    if (firn_world_snowfield(world, &snow) != FIRN_OK) return -1;
    firn_snowfield_read(&snow, (firn_cells){0, 0, 8, 8}, surface, depth, density);
    return (double)(surface[9] + depth[10] + density[11]) + firn_snowfield_surface(&snow, 0.1, 0.1);
}

static void *reader_body(void *argument) {
    reader *r = argument;
    const firn_world *w = r->world;
    void *data;
    double value;
    r->hash = firn_world_hash(w);
    r->sum = firn_world_time(w) + (double)firn_world_steps(w) + read_snow(w);
    for (size_t i = 0; i < firn_world_ledger_count(w); i++) r->sum += firn_world_ledger(w, i).mass;
    for (size_t i = 0; i < firn_world_series_count(w); i++) {
        value = firn_world_series_at(w, i).value;
        if (value == value) r->sum += value;
    }
    for (size_t i = 0; i < firn_world_field_count(w); i++) r->sum += (double)firn_world_field_at(w, i).count;
    for (size_t i = 0; i < firn_world_body_count(w); i++) {
        const float at[3] = {0.1f, 0.2f, 0.3f};
        float distance = 0, normal[3], velocity[3];
        if (firn_world_body_query(w, i, 1, at, &distance, normal, velocity) == FIRN_OK)
            r->sum += (double)distance;
        r->sum += firn_world_body_state(w, i).position.y + firn_world_body_reaction(w, i).impulse.y;
    }
    if (firn_world_get(w, "max_speed", &value) == FIRN_OK) r->sum += value;
    if (firn_world_save(w, &data, &r->bytes) == FIRN_OK) firn_data_free(data);
    fail_forget();
    return NULL;
}

static void several_threads_read_a_world(void **state) {
    (void)state;
    enum { READERS = 3 };
    reader readers[READERS] = {0}, alone = {0};
    firn_world *world;
    assert_ok(firn_set_threads(2));
    assert_ok(firn_world_open(all_models, &world));
    for (int i = 0; i < 3; i++) assert_ok(firn_world_step(world));
    for (int i = 0; i < READERS; i++) {
        readers[i].world = world;
        assert_int_equal(pthread_create(&readers[i].thread, NULL, reader_body, &readers[i]), 0);
    }
    for (int i = 0; i < READERS; i++) pthread_join(readers[i].thread, NULL);
    alone.world = world;
    reader_body(&alone);
    for (int i = 0; i < READERS; i++) {
        assert_true(readers[i].hash == alone.hash && readers[i].sum == alone.sum);
        assert_true(readers[i].bytes > 0 && readers[i].bytes == alone.bytes);
    }
    firn_world_close(world);
}

// ---- a task system of the program

typedef struct half {
    size_t first, count;
    void (*task)(void *task_context, size_t i);
    void *task_context;
} half;
static void *run_half(void *argument) {
    const half *h = argument;
    for (size_t i = h->first; i < h->count; i += 2) h->task(h->task_context, i);
    return NULL;
}

static void run_on_two(void *context, size_t count, void (*task)(void *task_context, size_t i),
                       void *task_context) {
    half halves[2] = {{0, count, task, task_context}, {1, count, task, task_context}};
    pthread_t thread;
    atomic_fetch_add(&((owner *)context)->runs, 1);
    if (pthread_create(&thread, NULL, run_half, &halves[1]) != 0) {
        run_half(&halves[1]);
        run_half(&halves[0]);
        return;
    }
    run_half(&halves[0]);
    pthread_join(thread, NULL);
}

static void two_threads_with_task_systems(void **state) {
    (void)state;
    owner owners[2] = {0};
    user users[2] = {0};
    uint64_t alone = hash_alone();
    for (int i = 0; i < 2; i++) {
        firn_context_def def = firn_context_def_default();
        def.allocator = (firn_allocator){own_allocate, own_release, &owners[i]};
        def.tasks = (firn_task_system){run_on_two, 2, &owners[i]};
        assert_ok(firn_context_create(&def, &users[i].context));
    }
    use_two(users);
    assert_true(users[0].hash == alone);
    assert_int_equal(atomic_load(&owners[0].runs), atomic_load(&owners[1].runs));
    for (int i = 0; i < 2; i++) {
        assert_true(atomic_load(&owners[i].runs) > STEPS);
        assert_ok(firn_context_close(users[i].context));
        assert_all_returned(&owners[i]);
    }
}

// ---- jobs and failures

static void note_context(void *context) { *(firn_context **)context = context_here(); }

static void a_job_beside_has_the_context_of_its_caller(void **state) {
    (void)state;
    owner o = {0};
    firn_context *context = make_context(&o, 1), *seen = NULL;
    par_job *job;
    firn_set_context(context);
    assert_ok(par_job_start(note_context, &seen, &job));
    firn_set_context(NULL);
    par_job_wait(job);
    assert_ptr_equal(seen, context);
    assert_ok(firn_context_close(context));
    assert_all_returned(&o);
}

static void failing_allocations_of_a_context_are_errors(void **state) {
    (void)state;
    bool failed = true;
    for (size_t n = 1; failed; n += FIRN_FEWER) {
        owner o = {.fail_at = n};
        firn_context_def def = firn_context_def_default();
        firn_context *context = NULL;
        firn_world *world = NULL;
        def.allocator = (firn_allocator){own_allocate, own_release, &o};
        def.threads = 2;
        firn_status status = firn_context_create(&def, &context);
        if (status == FIRN_OK) {
            firn_set_context(context);
            status = firn_world_open_text(grains_in_a_ball, "a.yaml", &world);
            if (status == FIRN_OK) status = firn_world_step(world);
            firn_world_close(world);
            assert_ok(firn_context_close(context));
        }
        failed = atomic_load(&o.failed);
        // Without memory for threads the call goes on alone.
        if (status != FIRN_OK) assert_true(failed && status == FIRN_NO_MEMORY);
        assert_int_equal(atomic_load(&o.allocated), atomic_load(&o.released));
        assert_true(failed || n > 20);
    }
}

static void *crooked(void *context, size_t bytes) {
    (void)context;
    return (char *)aligned_alloc(64, (bytes + 127) / 64 * 64) + 8;
}
static void crooked_release(void *context, void *memory, size_t bytes) {
    (void)context, (void)bytes;
    free((char *)memory - 8);
}

static void wrong_defs_are_refused(void **state) {
    (void)state;
    const firn_context_def wrong[] = {{.allocator = {.allocate = own_allocate}},
                                      {.allocator = {.release = own_release}},
                                      {.allocator = {crooked, crooked_release, NULL}},
                                      {.tasks = {.run = run_on_two}},
                                      {.threads = -1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        firn_context *context = (firn_context *)1;
        assert_int_equal(firn_context_create(&wrong[i], &context), FIRN_BAD_INPUT);
        assert_null(context);
    }
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_threads_with_a_context_each),
        cmocka_unit_test(two_threads_without_a_context),
        cmocka_unit_test(two_threads_with_task_systems),
        cmocka_unit_test(many_threads_at_once),
        cmocka_unit_test(several_threads_read_a_world),
        cmocka_unit_test(notes_go_to_the_worlds_own_handler),
        cmocka_unit_test(calls_on_a_world_use_its_context),
        cmocka_unit_test(a_run_with_its_pictures_asks_nothing_of_the_process),
        cmocka_unit_test(a_job_beside_has_the_context_of_its_caller),
        cmocka_unit_test(failing_allocations_of_a_context_are_errors),
        cmocka_unit_test(wrong_defs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
