// Movies read back with libav: how many pictures, how large, how long, and what is in them.
#include "cache/folders.h"

#include <math.h>

#include "draw/movie.h"
#include "draw/painting.h"

#if FIRN_HAVE_LIBAV
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

enum { WIDTH = 96, HEIGHT = 64, FRAMES = 23 };

// Picture i: grey that grows, with a red square that walks to the right.
static void paint(canvas *c, int i) {
    canvas_fill(c, 0, 0, WIDTH, HEIGHT,
                (draw_color){(uint8_t)(60 + 5 * i), (uint8_t)(60 + 5 * i), (uint8_t)(60 + 5 * i), 255});
    canvas_fill(c, 2 * i, 20, 16, 16, (draw_color){220, 20, 20, 255});
}

static firn_status write_movie(const char *path, double fps, int frames) {
    movie *m;
    canvas c;
    firn_status status = movie_create(path, WIDTH, HEIGHT, fps, true, &m);
    if (status != FIRN_OK) return status;
    assert_ok(canvas_create(WIDTH, HEIGHT, (draw_color){0, 0, 0, 255}, &c));
    for (int i = 0; i < frames && status == FIRN_OK; i++) {
        paint(&c, i);
        status = movie_add(m, &c);
    }
    canvas_free(&c);
    if (status == FIRN_OK) return movie_finish(m);
    char message[300];
    snprintf(message, sizeof message, "%s", firn_last_error());
    movie_abandon(m);
    return fail(status, "%s", message);
}

typedef struct film {
    int frames, width, height;
    double seconds, fps;
    enum AVCodecID codec;
    double grey[64]; // mean brightness, 0..255, at the bottom of each picture
    int red_x[64];   // where the square is
} film;

// 0..255 of one pixel; movies of our own are either YUV or, decoded from GIF, BGRA.
static double luma_at(const AVFrame *f, int x, int y) {
    if (f->format == AV_PIX_FMT_YUV420P) return (f->data[0][y * f->linesize[0] + x] - 16) * 255.0 / 219;
    const uint8_t *p = f->data[0] + y * f->linesize[0] + 4 * x;
    return (p[0] + p[1] + p[2]) / 3.0;
}

static bool red_at(const AVFrame *f, int x, int y) {
    if (f->format == AV_PIX_FMT_YUV420P) return f->data[2][y / 2 * f->linesize[2] + x / 2] > 160;
    const uint8_t *p = f->data[0] + y * f->linesize[0] + 4 * x;
    return p[2] > p[1] + 100;
}

static void look_at(const AVFrame *f, film *out) {
    assert_true(f->format == AV_PIX_FMT_YUV420P || f->format == AV_PIX_FMT_BGRA);
    if (out->frames >= 64) return;
    double sum = 0;
    for (int x = 0; x < WIDTH; x++) sum += luma_at(f, x, HEIGHT - 4);
    out->grey[out->frames] = sum / WIDTH;
    out->red_x[out->frames] = -1;
    for (int x = 0; x < WIDTH && out->red_x[out->frames] < 0; x += 2)
        if (red_at(f, x, 28)) out->red_x[out->frames] = x;
}

static film read_movie(const char *path) {
    film out = {0};
    AVFormatContext *format = NULL;
    assert_int_equal(avformat_open_input(&format, path, NULL, NULL), 0);
    assert_true(avformat_find_stream_info(format, NULL) >= 0);
    assert_int_equal(format->nb_streams, 1);
    AVStream *stream = format->streams[0];
    const AVCodec *codec = avcodec_find_decoder(stream->codecpar->codec_id);
    AVCodecContext *decoder = avcodec_alloc_context3(codec);
    assert_true(avcodec_parameters_to_context(decoder, stream->codecpar) >= 0);
    assert_int_equal(avcodec_open2(decoder, codec, NULL), 0);
    AVPacket *packet = av_packet_alloc();
    AVFrame *frame = av_frame_alloc();
    for (bool more = true; more;) {
        more = av_read_frame(format, packet) >= 0;
        assert_int_equal(avcodec_send_packet(decoder, more ? packet : NULL), 0);
        if (more) av_packet_unref(packet);
        for (; avcodec_receive_frame(decoder, frame) >= 0; out.frames++) look_at(frame, &out);
    }
    out.width = decoder->width;
    out.height = decoder->height;
    out.codec = stream->codecpar->codec_id;
    out.seconds = (double)format->duration / AV_TIME_BASE;
    out.fps = av_q2d(stream->avg_frame_rate);
    av_frame_free(&frame);
    av_packet_free(&packet);
    avcodec_free_context(&decoder);
    avformat_close_input(&format);
    return out;
}

static void test_movies_read_back(void **state) {
    (void)state;
    temporary t = temporary_make();
    static const char *const names[] = {"a.mp4", "a.webm", "a.gif"};
    static const enum AVCodecID codecs[] = {AV_CODEC_ID_H264, AV_CODEC_ID_VP9, AV_CODEC_ID_GIF};
    static const double rates[] = {25, 29.97, 60};
    for (int n = 0; n < 3; n++)
        for (int k = 0; k < 3; k++) {
            char path[300];
            snprintf(path, sizeof path, "%s/%s", t.path, names[n]);
            firn_status status = write_movie(path, rates[k], FRAMES);
            if (status == FIRN_UNSUPPORTED) {
                print_message("[  SKIP    ] %s: %s\n", names[n], firn_last_error());
                continue;
            }
            assert_ok(status);
            film f = read_movie(path);
            int every = n == 2 && rates[k] > 50 ? 2 : 1; // GIF cannot show more
            assert_int_equal(f.frames, (FRAMES + every - 1) / every);
            assert_int_equal(f.width, WIDTH);
            assert_int_equal(f.height, HEIGHT);
            assert_int_equal(f.codec, codecs[n]);
            assert_near(f.seconds, FRAMES / rates[k], 1.5 * every / rates[k]);
            if (n < 2) assert_near(f.fps, rates[k], rates[k] * 0.01);
            for (int i = 0; i < f.frames; i++) {
                assert_near(f.grey[i], 60 + 5 * every * i, 5);
                assert_near(f.red_x[i], 2 * every * i, 3);
            }
        }
    assert_int_equal(count_files(t.path, ".tmp"), 0);
    temporary_remove(&t);
}

static void test_the_same_pictures_give_the_same_file(void **state) {
    (void)state;
    temporary t = temporary_make();
    char a[300], b[300];
    static const char *const endings[] = {"mp4", "gif", "webp"};
    for (int i = 0; i < 3; i++) {
        snprintf(a, sizeof a, "%s/a.%s", t.path, endings[i]);
        snprintf(b, sizeof b, "%s/b.%s", t.path, endings[i]);
        firn_status status = write_movie(a, 30, FRAMES);
        if (status == FIRN_UNSUPPORTED) continue;
        assert_ok(status);
        assert_ok(write_movie(b, 30, FRAMES));
        assert_true(files_equal(a, b));
    }
    temporary_remove(&t);
}

static void test_a_movie_is_whole_or_absent(void **state) {
    (void)state;
    temporary t = temporary_make();
    char path[300];
    static const char *const names[] = {"a.gif", "a.webp", "a.mp4", "a.webm"};
    for (int kind = 0; kind < 4; kind++) {
        snprintf(path, sizeof path, "%s/%s", t.path, names[kind]);
        fail_file(0, false);
        firn_status written = write_movie(path, 30, 8);
        if (written == FIRN_UNSUPPORTED) continue;
        assert_ok(written);
        size_t calls = failing_files.calls;
        unlink(path);
        for (size_t n = 1; n <= calls; n++) {
            fail_file(n, n % 2);
            firn_status status = write_movie(path, 30, 8);
            file_use(NULL);
            assert_int_equal(status, FIRN_IO);
            assert_non_null(strstr(firn_last_error(), names[kind]));
            assert_int_equal(count_files(t.path, ""), 0);
        }
    }
    // Given up in the middle.
    movie *m;
    canvas c;
    assert_ok(movie_create(path, WIDTH, HEIGHT, 30, false, &m));
    assert_ok(canvas_create(WIDTH, HEIGHT, (draw_color){0, 0, 0, 255}, &c));
    for (int i = 0; i < 5; i++) assert_ok(movie_add(m, &c));
    movie_abandon(m);
    canvas_free(&c);
    assert_int_equal(count_files(t.path, ""), 0);
    movie_abandon(NULL);
    temporary_remove(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_movies_read_back),
        cmocka_unit_test(test_the_same_pictures_give_the_same_file),
        cmocka_unit_test(test_a_movie_is_whole_or_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void test_a_build_without_libav_says_so(void **state) {
    (void)state;
    movie *m;
    assert_int_equal(movie_create("a.mp4", 96, 64, 25, true, &m), FIRN_UNSUPPORTED);
    assert_non_null(strstr(firn_last_error(), "libavcodec-dev"));
    assert_null(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_build_without_libav_says_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
