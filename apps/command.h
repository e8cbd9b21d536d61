// What the parts of the command share. apps/ sees the library only through <firn/...>.
#ifndef APPS_COMMAND_H
#define APPS_COMMAND_H

#include <firn/firn.h>

// What the command says to whoever started it.
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

// The values of all options of all subcommands; each subcommand names those it takes.
typedef struct arguments {
    const char *output, *camera, *format, *what, *plot, *csv;
    uint64_t frames, steps, threads;
    int width, height;
    struct {
        uint64_t first, count, stride; // as in firn_render_options
    } range;
    bool force, json, help;
    firn_overrides set;
    const char **words; // what is left: scenes, folders, names
    size_t word_count;
} arguments;

typedef struct command {
    const char *name;
    const char *usage;   // after "firn NAME"
    const char *summary; // one line
    const char *help;    // what it does and an example
    const char *options; // names of the options it takes, separated by spaces
    size_t least, most;  // words it takes
    int (*run)(const arguments *given);
    bool hidden;
} command;
extern const command commands[]; // ends in a NULL name
const command *command_find(const char *name);

// Reads what follows the subcommand. EXIT_DONE, or EXIT_USAGE after saying what is wrong.
int arguments_read(const command *c, int argc, char **argv, arguments *out);
void arguments_free(arguments *given);
void options_print_help(const command *c);

int command_run(const arguments *given);
int command_render(const arguments *given);
int command_check(const arguments *given);
int command_explain(const arguments *given);
int command_list(const arguments *given);
int command_new(const arguments *given);
int command_info(const arguments *given);
int command_export(const arguments *given);
int command_hash(const arguments *given);
int command_bench(const arguments *given);
int command_demo(const arguments *given);
int command_reference(const arguments *given);
int command_help(const arguments *given);

// Messages to stderr; both start with "firn: " and return the exit code.
int say_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
int say_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
// The exit code of a status, after printing firn_last_error() if it is an error.
int say_status(firn_status status);
// ", did you mean 'x'?" or "", in a static buffer.
const char *did_you_mean(const char *word, const char *const *words, size_t count);
// A JSON string to stdout, quoted and escaped.
void print_json_text(const char *text);
// Flushes stdout; EXIT_FAILED if what was printed could not be written, otherwise `code`.
int finish_output(int code);

// Shipped scenes: beside the source tree's build folder or under share/firn of an installed copy.
// Turns an argument into a path: a file as it is, or the name of a shipped scene. EXIT_DONE or EXIT_USAGE
// (said why).
int scene_find(const char *argument, char *path, size_t size);
int scenes_print(void);

// SIGINT and SIGTERM ask to stop; a second one ends at once (files stay whole).
void interrupt_watch(void);
bool interrupt_asked(void *context);

// Progress of something that takes a while: a bar on a terminal, lines now and then elsewhere.
typedef struct progress {
    const char *what; // "run", "render", "export"
    bool json, terminal, drawn, broken;
    double started, last;
} progress;
void progress_start(progress *p, const char *what, bool json);
void progress_run(void *context, const firn_progress *now);
void progress_frames(void *context, uint64_t frame, uint64_t frames, double eta);
// True when a signal came or stdout can no longer be written.
bool progress_stop(void *context);
void progress_end(progress *p);
// "1:05", "0.8 s": a time for people, in a static buffer that the next call reuses.
const char *time_text(double seconds);

#endif
