// Growing text, JSON strings, nearest words, and the message of the last failure. firn-test: threaded
#include "base/text.h"
#include "par/par.h"
#include "support.h"

static void text_grows(void **state) {
    (void)state;
    text t = {0};
    for (int i = 0; i < 1000; i++) text_add(&t, "%d,", i);
    text_add_bytes(&t, "end!", 3);
    assert_int_equal(t.length, 2890 + 1000 + 3);
    assert_int_equal(strlen(t.data), t.length);
    assert_memory_equal(t.data, "0,1,2,3,", 8);
    assert_string_equal(t.data + t.length - 7, "999,end");
    char *taken;
    assert_ok(text_take(&t, &taken));
    assert_true(t.data == NULL && t.length == 0);
    mem_free(taken);
    assert_ok(text_take(&t, &taken));
    assert_string_equal(taken, ""); // nothing added is an empty text
    mem_free(taken);
}

static void without_memory_text_says_so_at_the_end(void **state) {
    (void)state;
    for (size_t n = 1; n < 5; n++) {
        failing_allocator f;
        fail_allocation(&f, n);
        text t = {0};
        for (int i = 0; i < 100; i++) text_add(&t, "some words %d ", i);
        char *taken = "untouched";
        assert_true(t.failed);
        assert_int_equal(text_take(&t, &taken), FIRN_NO_MEMORY);
        assert_null(taken);
        assert_int_equal(mem_in_use(), 0);
        firn_set_allocator(NULL);
    }
}

static void json_is_escaped(void **state) {
    (void)state;
    text t = {0};
    text_add_json(&t, "a \"quoted\" back\\slash\nline\ttab \x01 100% \xc3\xa4");
    assert_string_equal(t.data, "\"a \\\"quoted\\\" back\\\\slash\\nline\\u0009tab \\u0001 100% \xc3\xa4\"");
    text_free(&t);
    text_add_json(&t, "");
    assert_string_equal(t.data, "\"\"");
    text_free(&t);
}

static void words_and_distances(void **state) {
    (void)state;
    assert_int_equal(word_distance("", ""), 0);
    assert_int_equal(word_distance("snow", ""), 4);
    assert_int_equal(word_distance("friction", "friction"), 0);
    assert_int_equal(word_distance("Friction", "frictioN"), 0);
    assert_int_equal(word_distance("fricton", "friction"), 1);
    assert_int_equal(word_distance("frcition", "friction"), 1); // neighbours swapped
    assert_int_equal(word_distance("kitten", "sitting"), 3);
    assert_int_equal(word_distance("radius", "density"), word_distance("density", "radius"));
    const char *const words[] = {"friction", "restitution", "density", "at"};
    assert_string_equal(word_nearest("fricton", words, 4), "friction");
    assert_string_equal(word_nearest("denstiy", words, 4), "density");
    assert_string_equal(word_nearest("ta", words, 4), "at");
    assert_string_equal(word_nearest("d", words, 4), "density");
    assert_null(word_nearest("temperature", words, 4));
    assert_null(word_nearest("x", words, 4));
    assert_null(word_nearest("friction", words, 0));
    char long_word[200];
    memset(long_word, 'a', sizeof long_word - 1);
    long_word[sizeof long_word - 1] = 0;
    assert_null(word_nearest(long_word, words, 4));
    assert_true(text_ends("frame.h5", ".h5") && !text_ends("h5", ".h5") && text_ends("x", ""));
    assert_true(text_equal("a", "a") && !text_equal("a", "b") && !text_equal(NULL, NULL) &&
                !text_equal("a", NULL));
}

static void messages_long_and_short(void **state) {
    (void)state;
    assert_int_equal(fail(FIRN_IO, "cannot open '%s'", "x"), FIRN_IO);
    assert_string_equal(firn_last_error(), "cannot open 'x'");
    assert_int_equal(fail(FIRN_BAD_INPUT, "scene: %s", firn_last_error()),
                     FIRN_BAD_INPUT); // made of the old one
    assert_string_equal(firn_last_error(), "scene: cannot open 'x'");
    fail_text(FIRN_IO, firn_last_error());
    assert_string_equal(firn_last_error(), "scene: cannot open 'x'");
    char report[10000];
    memset(report, 'r', sizeof report - 1);
    report[sizeof report - 1] = 0;
    fail_text(FIRN_BAD_INPUT, report);
    assert_string_equal(firn_last_error(), report);
    fail_text(FIRN_BAD_INPUT, firn_last_error());
    assert_string_equal(firn_last_error(), report);
    fail(FIRN_IO, "%s", report);
    assert_int_equal(strlen(firn_last_error()), 1999); // cut, not overrun
    fail_memory("testing", 77);
    assert_non_null(strstr(firn_last_error(), "testing"));
    assert_non_null(strstr(firn_last_error(), "77"));
    fail_forget();
    assert_string_equal(firn_last_error(), "");
}

static void fail_elsewhere(void *context) {
    char report[5000];
    memset(report, 'e', sizeof report - 1);
    report[sizeof report - 1] = 0;
    fail_text(FIRN_IO, report);
    *(size_t *)context = strlen(firn_last_error());
}

static void each_thread_has_its_own_message(void **state) {
    (void)state;
    fail(FIRN_IO, "mine");
    size_t length = 0;
    par_job *job;
    assert_ok(par_job_start(fail_elsewhere, &length, &job));
    par_job_wait(job); // and the leak sanitizer sees that its message went with it
    assert_int_equal(length, 4999);
    assert_string_equal(firn_last_error(), "mine");
}

typedef struct heard {
    int notes, warnings;
    char last[100];
} heard;
static void hear(void *context, firn_log_level level, const char *message) {
    heard *h = context;
    if (level == FIRN_LOG_NOTE) h->notes++;
    if (level == FIRN_LOG_WARNING) h->warnings++;
    snprintf(h->last, sizeof h->last, "%s", message);
}

static void notes_go_to_the_handler_only(void **state) {
    (void)state;
    log_warning("nobody listens");
    heard h = {0};
    firn_set_log(hear, &h);
    log_note("%d flakes", 3);
    assert_string_equal(h.last, "3 flakes");
    log_warning("hole in '%s'", "hare.obj");
    assert_string_equal(h.last, "hole in 'hare.obj'");
    firn_set_log(NULL, NULL);
    log_note("nobody");
    assert_true(h.notes == 1 && h.warnings == 1);
    char headers[32];
    snprintf(headers, sizeof headers, "%d.%d.%d", FIRN_VERSION_MAJOR, FIRN_VERSION_MINOR, FIRN_VERSION_PATCH);
    assert_string_equal(firn_version(), headers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows),
        cmocka_unit_test(without_memory_text_says_so_at_the_end),
        cmocka_unit_test(json_is_escaped),
        cmocka_unit_test(words_and_distances),
        cmocka_unit_test(messages_long_and_short),
        cmocka_unit_test(each_thread_has_its_own_message),
        cmocka_unit_test(notes_go_to_the_handler_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
