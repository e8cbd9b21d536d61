// Movies: FFmpeg encoders, one per ending.
#include "draw/movie.h"

#include "base/file.h"
#include "base/library.h"
#include "base/text.h"
#include "draw/palette.h"

#if FIRN_HAVE_LIBAV
#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
#include <math.h>
#include <string.h>

#define LIBAV_CALLS(X)                                                                                       \
    X(av_frame_alloc)                                                                                        \
    X(av_frame_free)                                                                                         \
    X(av_frame_get_buffer)                                                                                   \
    X(av_frame_make_writable)                                                                                \
    X(av_free)                                                                                               \
    X(av_freep)                                                                                              \
    X(av_interleaved_write_frame)                                                                            \
    X(av_malloc)                                                                                             \
    X(av_opt_set)                                                                                            \
    X(av_packet_alloc)                                                                                       \
    X(av_packet_free)                                                                                        \
    X(av_packet_rescale_ts)                                                                                  \
    X(av_strerror)                                                                                           \
    X(av_write_trailer)                                                                                      \
    X(avcodec_alloc_context3)                                                                                \
    X(avcodec_find_encoder)                                                                                  \
    X(avcodec_find_encoder_by_name)                                                                          \
    X(avcodec_free_context)                                                                                  \
    X(avcodec_open2)                                                                                         \
    X(avcodec_parameters_from_context)                                                                       \
    X(avcodec_receive_packet)                                                                                \
    X(avcodec_send_frame)                                                                                    \
    X(avformat_alloc_output_context2)                                                                        \
    X(avformat_free_context)                                                                                 \
    X(avformat_new_stream)                                                                                   \
    X(avformat_write_header)                                                                                 \
    X(avio_alloc_context)                                                                                    \
    X(avio_context_free)                                                                                     \
    X(av_d2q)                                                                                                \
    X(sws_freeContext) X(sws_getCoefficients) X(sws_getContext) X(sws_scale) X(sws_setColorspaceDetails)
typedef struct libav {
    LIBAV_CALLS(LIBRARY_CALL)
} libav;

enum {
    BUFFER = 1 << 16,
    ENCODER_THREADS = 2, // fixed: the encoder's output depends on it, and ours must not depend on the machine
    QUIET = 200,         // libav's messages of our contexts become less urgent than anything that is printed
};

// Pictures shown for less than 1/50 s are shown for 1/10 s by most programs that show GIF.
static const double gif_fps = 50;

typedef struct movie_kind {
    const char *ending, *format; // the format as libav names it
    const char *codec;           // as people call it
    const char *encoders[2];     // the first that is there
    enum AVCodecID id;           // or any that writes this
    enum AVPixelFormat pixels;
    const char *instead; // what to write without it
} movie_kind;

static const movie_kind kinds[] = {
    {".mp4", "mp4", "H.264", {"libx264"}, AV_CODEC_ID_H264, AV_PIX_FMT_YUV420P, "a .webm"},
    {".webm", "webm", "VP9", {"libvpx-vp9"}, AV_CODEC_ID_VP9, AV_PIX_FMT_YUV420P, "an .mp4"},
    {".gif", "gif", "GIF", {"gif"}, AV_CODEC_ID_GIF, AV_PIX_FMT_PAL8, "an .mp4"},
    {".webp", "webp", "WebP", {"libwebp_anim", "libwebp"}, AV_CODEC_ID_WEBP, AV_PIX_FMT_BGRA, "a .gif"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct movie {
    libav av;
    const movie_kind *kind;
    file_stream *file;
    uint64_t position, size;
    firn_status io_status; // of the first failing write
    char io_message[600];
    char path[PATH_ROOM];
    AVFormatContext *format;
    AVIOContext *io;
    AVCodecContext *encoder;
    AVStream *stream;
    AVFrame *frame;
    AVPacket *packet;
    struct SwsContext *colors;
    palette *palette;      // of GIF, instead of colors
    int64_t frames, every; // given; each which one of them is written
    bool begun;            // the header is written, the end is not
};

static int io_write(void *opaque, uint8_t *data, int bytes) {
    movie *m = opaque;
    if (m->io_status == FIRN_OK) {
        m->io_status = file_stream_write(m->file, m->position, data, (size_t)bytes);
        if (m->io_status != FIRN_OK) strncpy(m->io_message, firn_last_error(), sizeof m->io_message - 1);
    }
    if (m->io_status != FIRN_OK) return AVERROR(EIO);
    m->position += (uint64_t)bytes;
    if (m->position > m->size) m->size = m->position;
    return bytes;
}

static int64_t io_seek(void *opaque, int64_t offset, int whence) {
    movie *m = opaque;
    if (whence & AVSEEK_SIZE) return (int64_t)m->size;
    if ((whence & ~AVSEEK_FORCE) == SEEK_CUR)
        offset += (int64_t)m->position;
    else if ((whence & ~AVSEEK_FORCE) == SEEK_END)
        offset += (int64_t)m->size;
    if (offset < 0) return AVERROR(EINVAL);
    m->position = (uint64_t)offset;
    return offset;
}

static firn_status movie_failed(const movie *m, const char *doing, int error) {
    if (m->io_status != FIRN_OK) return fail(m->io_status, "%s", m->io_message);
    if (error == AVERROR(ENOMEM)) return fail_memory("writing a movie", BUFFER);
    char why[AV_ERROR_MAX_STRING_SIZE] = "";
    m->av.av_strerror(error, why, sizeof why);
    return fail(FIRN_IO, "cannot write the movie '%s': %s: %s", m->path, doing, why);
}

static void movie_free(movie *m) {
    if (m->format) m->av.avformat_free_context(m->format);
    if (m->io) m->av.av_freep(&m->io->buffer);
    m->av.avio_context_free(&m->io);
    m->av.avcodec_free_context(&m->encoder);
    m->av.av_frame_free(&m->frame);
    m->av.av_packet_free(&m->packet);
    m->av.sws_freeContext(m->colors);
    palette_free(m->palette);
    mem_free(m);
}

void movie_abandon(movie *m) {
    if (!m) return;
    if (m->begun) m->av.av_write_trailer(m->format); // muxers free what they hold back only here
    file_stream_abandon(m->file);
    movie_free(m);
}

static firn_status find_encoder(const movie *m, const AVCodec **out) {
    const movie_kind *kind = m->kind;
    *out = NULL;
    for (size_t i = 0; i < sizeof kind->encoders / sizeof *kind->encoders && !*out; i++)
        if (kind->encoders[i]) *out = m->av.avcodec_find_encoder_by_name(kind->encoders[i]);
    if (!*out) *out = m->av.avcodec_find_encoder(kind->id);
    if (*out) return FIRN_OK;
    return fail(FIRN_UNSUPPORTED,
                "this FFmpeg has no %s encoder; install a libavcodec with %s, or write %s instead",
                kind->codec, kind->encoders[0], kind->instead);
}

static void describe_colors(AVCodecContext *e) {
    if (e->pix_fmt != AV_PIX_FMT_YUV420P) return;
    e->colorspace = AVCOL_SPC_BT709;
    e->color_primaries = AVCOL_PRI_BT709;
    e->color_trc = AVCOL_TRC_IEC61966_2_1;
    e->color_range = AVCOL_RANGE_MPEG;
}

// Unknown options (another encoder than the named one) are left as they are.
static void choose_quality(const movie *m, bool draft) {
    const AVCodecContext *e = m->encoder;
    const movie_kind *kind = m->kind;
    m->av.av_opt_set(e->priv_data, "crf", kind->id == AV_CODEC_ID_VP9 ? "30" : "18", 0);
    m->av.av_opt_set(e->priv_data, "preset",
                     kind->id == AV_CODEC_ID_WEBP ? "picture"
                     : draft                      ? "superfast"
                                                  : "veryfast",
                     0);
    m->av.av_opt_set(e->priv_data, "deadline", "good", 0);
    m->av.av_opt_set(e->priv_data, "cpu-used", "5", 0);
    m->av.av_opt_set(e->priv_data, "row-mt", "1", 0);
    m->av.av_opt_set(e->priv_data, "quality", "85", 0);
}

static firn_status open_encoder(movie *m, int width, int height, double fps, bool draft) {
    const AVCodec *codec;
    TRY(find_encoder(m, &codec));
    AVCodecContext *e = m->encoder = m->av.avcodec_alloc_context3(codec);
    if (!e) return fail_memory("writing a movie", 0);
    e->log_level_offset = QUIET;
    e->width = width;
    e->height = height;
    e->pix_fmt = m->kind->pixels;
    e->framerate = m->av.av_d2q(fps, 60000);
    e->time_base = av_inv_q(e->framerate);
    e->gop_size = fps > 2 ? (int)(2 * fps) : 4;
    e->thread_count = ENCODER_THREADS;
    if (m->format->oformat->flags & AVFMT_GLOBALHEADER) e->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    describe_colors(e);
    choose_quality(m, draft);
    int error = m->av.avcodec_open2(e, codec, NULL);
    return error < 0 ? movie_failed(m, "the encoder cannot be started", error) : FIRN_OK;
}

static firn_status open_format(movie *m) {
    int error = m->av.avformat_alloc_output_context2(&m->format, NULL, m->kind->format, NULL);
    if (error == AVERROR(EINVAL))
        return fail(FIRN_UNSUPPORTED, "this FFmpeg cannot write %s files; write %s instead", m->kind->ending,
                    m->kind->instead);
    if (error < 0) return movie_failed(m, "the file cannot be started", error);
    uint8_t *buffer = m->av.av_malloc(BUFFER);
    if (buffer) m->io = m->av.avio_alloc_context(buffer, BUFFER, 1, m, NULL, io_write, io_seek);
    if (!m->io) {
        m->av.av_free(buffer);
        return fail_memory("writing a movie", BUFFER);
    }
    m->format->pb = m->io;
    m->format->flags |=
        AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT; // no dates, no versions: same pictures, same file
    if (m->format->priv_data)
        m->av.av_opt_set(m->format->priv_data, "loop", "0", 0); // for ever; GIF and WebP
    return FIRN_OK;
}

static firn_status open_colors(movie *m) {
    const AVFrame *f = m->frame;
    if (f->format == AV_PIX_FMT_PAL8) return palette_create(&m->palette);
    m->colors = m->av.sws_getContext(f->width, f->height, AV_PIX_FMT_RGBA, f->width, f->height, f->format,
                                     SWS_BILINEAR, NULL, NULL, NULL);
    if (!m->colors) return fail_memory("writing a movie", BUFFER);
    if (f->format != AV_PIX_FMT_YUV420P) return FIRN_OK;
    const int *bt709 = m->av.sws_getCoefficients(SWS_CS_ITU709);
    m->av.sws_setColorspaceDetails(m->colors, bt709, 1, bt709, 0, 0, 1 << 16, 1 << 16);
    return FIRN_OK;
}

static firn_status open_stream(movie *m) {
    m->stream = m->av.avformat_new_stream(m->format, NULL);
    m->packet = m->av.av_packet_alloc();
    AVFrame *f = m->frame = m->av.av_frame_alloc();
    if (!m->stream || !m->packet || !f) return fail_memory("writing a movie", BUFFER);
    m->stream->time_base = m->encoder->time_base;
    m->stream->avg_frame_rate = m->encoder->framerate;
    int error = m->av.avcodec_parameters_from_context(m->stream->codecpar, m->encoder);
    f->format = m->encoder->pix_fmt;
    f->width = m->encoder->width;
    f->height = m->encoder->height;
    if (error >= 0) error = m->av.av_frame_get_buffer(f, 0);
    if (error >= 0) error = m->av.avformat_write_header(m->format, NULL);
    if (error < 0) return movie_failed(m, "no header", error);
    m->begun = true;
    return open_colors(m);
}

static firn_status open_libav(libav *av) {
    static const char *const files[] = {"libavutil.so." LIBRARY_TEXT(LIBAVUTIL_VERSION_MAJOR),
                                        "libavcodec.so." LIBRARY_TEXT(LIBAVCODEC_VERSION_MAJOR),
                                        "libavformat.so." LIBRARY_TEXT(LIBAVFORMAT_VERSION_MAJOR),
                                        "libswscale.so." LIBRARY_TEXT(LIBSWSCALE_VERSION_MAJOR), NULL};
    static const char *const names[] = {LIBAV_CALLS(LIBRARY_NAME) NULL};
    return library_open(&(library){files, names, "write movies", "FFmpeg's libraries of these versions"}, av);
}

firn_status movie_create(const char *path, int width, int height, double fps, bool draft, movie **out) {
    *out = NULL;
    libav av;
    TRY(open_libav(&av));
    movie *m = mem_zero(1, sizeof *m);
    if (!m) return fail_memory("writing a movie", sizeof *m);
    m->av = av;
    strncpy(m->path, path, sizeof m->path - 1);
    m->kind = kinds;
    for (size_t i = 0; i < KINDS; i++)
        if (text_ends(path, kinds[i].ending)) m->kind = &kinds[i];
    m->every = m->kind->id == AV_CODEC_ID_GIF ? (int64_t)ceil(fps / gif_fps) : 1;
    firn_status status = open_format(m);
    if (status == FIRN_OK) status = open_encoder(m, width, height, fps, draft);
    if (status == FIRN_OK) status = file_stream_open(path, &m->file);
    if (status == FIRN_OK) status = open_stream(m);
    if (status != FIRN_OK) {
        movie_abandon(m);
        return status;
    }
    *out = m;
    return FIRN_OK;
}

// frame NULL: what the encoder still holds.
static firn_status encode(movie *m, AVFrame *frame) {
    int error = m->av.avcodec_send_frame(m->encoder, frame);
    if (error < 0) return movie_failed(m, "the encoder rejected a picture", error);
    for (;;) {
        error = m->av.avcodec_receive_packet(m->encoder, m->packet);
        if (error == AVERROR(EAGAIN) || error == AVERROR_EOF) return FIRN_OK;
        if (error < 0) return movie_failed(m, "encoding failed", error);
        m->packet->stream_index = m->stream->index;
        m->packet->duration = m->every; // without it the last picture has no length
        m->av.av_packet_rescale_ts(m->packet, m->encoder->time_base, m->stream->time_base);
        error = m->av.av_interleaved_write_frame(m->format, m->packet);
        if (error < 0 || m->io_status != FIRN_OK) return movie_failed(m, "writing failed", error);
    }
}

static void take_picture(movie *m, const canvas *picture) {
    AVFrame *f = m->frame;
    const uint8_t *const rows[1] = {picture->rgba};
    const int stride[1] = {4 * picture->width};
    if (!m->palette) {
        m->av.sws_scale(m->colors, rows, stride, 0, f->height, f->data, f->linesize);
        return;
    }
    uint32_t colors[PALETTE_COLORS];
    palette_apply(m->palette, picture, colors, f->data[0], (size_t)f->linesize[0]);
    memcpy(f->data[1], colors, sizeof colors);
}

firn_status movie_add(movie *m, const canvas *picture) {
    int64_t number = m->frames++;
    if (number % m->every != 0) return FIRN_OK;
    int error = m->av.av_frame_make_writable(m->frame);
    if (error < 0) return movie_failed(m, "no picture", error);
    take_picture(m, picture);
    m->frame->pts = number;
    return encode(m, m->frame);
}

firn_status movie_finish(movie *m) {
    firn_status status = encode(m, NULL);
    int error = 0;
    if (status == FIRN_OK) {
        error = m->av.av_write_trailer(m->format);
        m->begun = false;
    }
    if (status == FIRN_OK && (error < 0 || m->io_status != FIRN_OK))
        status = movie_failed(m, "no end", error);
    if (status != FIRN_OK) {
        movie_abandon(m);
        return status;
    }
    file_stream *file = m->file;
    movie_free(m);
    return file_stream_finish(file);
}

#else

static firn_status no_libav(void) {
    return fail(
        FIRN_UNSUPPORTED,
        "this build of firn cannot write movies: it was configured with FIRN_MOVIE=OFF; build it again with "
        "libavcodec-dev, libavformat-dev, libavutil-dev and libswscale-dev installed, or write PNG pictures "
        "to a folder");
}

firn_status movie_create(const char *path, int width, int height, double fps, bool draft, movie **out) {
    (void)path;
    (void)width;
    (void)height;
    (void)fps;
    (void)draft;
    *out = NULL;
    return no_libav();
}

firn_status movie_add(movie *m, const canvas *picture) {
    (void)m;
    (void)picture;
    return no_libav();
}

firn_status movie_finish(movie *m) {
    (void)m;
    return no_libav();
}

void movie_abandon(movie *m) { (void)m; }
#endif
