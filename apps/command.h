// What the parts of the command share. apps/ sees the library only through <firn/...>.
#ifndef APPS_COMMAND_H
#define APPS_COMMAND_H

#include <stdio.h>

#include <firn/firn.h>

// Exit codes.
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

// The values of all options of all subcommands; each subcommand names those it takes.
typedef struct arguments {
    const char *command; // its name
    bool compare;
    const char *output, *camera, *quality, *pictures, *format, *what, *plot, *csv;
    const char *script, *record, *replay, *draw;
    uint64_t frames, steps, threads, ranks;
    int width, height;
    struct {
        uint64_t first, count, stride; // as in firn_render_options
    } range;
    double wall_time; // s; 0: no limit
    bool force, json, quiet, all, full, quick, measure, help;
    bool steps_given;
    firn_overrides set;
    const char **words; // the other arguments: scenes, folders, names
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
} command;
extern const command commands[]; // ends in a NULL name
const command *command_find(const char *name);
int unknown_command(const char *name); // says so and names the nearest

typedef enum option_kind {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_NUMBER,
    OPTION_RANGE,
    OPTION_SIZE,
    OPTION_TIME,
    OPTION_SET
} option_kind;

typedef struct option {
    const char *name;
    char letter; // 0: none
    option_kind kind;
    size_t offset;        // of its value in arguments
    uint64_t least, most; // of a number
    const char
        *value; // "PATH", "FILE...": a file; "a|b": one of these words; otherwise anything; NULL: a flag
    const char *help;
} option;
// The options of a command one after the other; `after` NULL: the first. NULL: no more.
const option *options_next(const command *c, const option *after);

// Reads what follows the subcommand. EXIT_DONE, or EXIT_USAGE after saying what is wrong.
int arguments_read(const command *c, int argc, char **argv, arguments *out);
void arguments_free(arguments *given);
void options_print_help(const command *c);

int command_run(const arguments *given);
int command_render(const arguments *given);
int command_view(const arguments *given);
int command_check(const arguments *given);
int command_explain(const arguments *given);
int command_list(const arguments *given);
int command_new(const arguments *given);
int command_info(const arguments *given);
int command_export(const arguments *given);
int command_verify(const arguments *given);
int command_hash(const arguments *given);
int command_bench(const arguments *given);
int command_demo(const arguments *given);
int command_reproduce(const arguments *given);
int command_reference(const arguments *given);
int command_help(const arguments *given);
int command_version(const arguments *given);
int command_man(const arguments *given);
int command_completion(const arguments *given);

// Simulates a scene into a folder, or continues there, with progress; an exit code.
int run_scene(const char *scene, const char *folder, const arguments *given);

// Before anything is said: `json` adds an object on stdout for every message, `quiet` leaves out all but
// errors and results.
void say_as(bool json, bool quiet);
// Errors, on stderr after "firn: "; both return the exit code.
int say_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
int say_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
// The exit code of a status, after printing firn_last_error() if it is an error.
int say_status(firn_status status);
// The same for a report that the library handed over.
int say_report(firn_status status, const char *report);
// A note on stderr.
void say_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_log(void *context, firn_log_level level, const char *message);
// The path of a result, on stdout.
void say_done(const char *path);
// Prints text from a file without control characters, which a terminal would interpret.
void print_clean(FILE *out, const char *text);
// ", did you mean 'x'?" or "", in a static buffer.
const char *did_you_mean(const char *word, const char *const *words, size_t count);
// A JSON string to stdout, quoted and escaped.
void print_json_text(const char *text);
void print_json_event(const char *event, const char *key, const char *value);
// Whether the reader of stdout has closed the pipe: `firn list | head -1`. That is not an error; a run is
// saved and ended.
bool reader_gone(void);
// Flushes stdout; EXIT_FAILED if what was printed could not be written, otherwise `code`.
int finish_output(int code);

// Tells the library where the base scenes are.
void scenes_start(void);
// Shipped scenes: beside the source tree's build folder or under share/firn of an installed copy.
// Turns an argument into a path: a file as it is, or the name of a shipped scene. EXIT_DONE or EXIT_USAGE
// (said why).
int scene_find(const char *argument, char *path, size_t size);
int scenes_print(const arguments *given);
// Calls see for each shipped scene.
void scenes_each(void (*see)(void *context, const char *name, const char *path), void *context);
// Names of the shipped scenes, each after a space.
int scenes_print_names(void);
// EXIT_USAGE (said why) if the folder for a result cannot be one: a file has its name.
int output_folder_check(const char *path);

// The cache of level sets, unless FIRN_CACHE=off.
void cache_use(void);

// Signals that ask to save and stop: INT, TERM, HUP, USR1, USR2, ALRM, XCPU. A second INT or TERM ends at
// once (files stay whole).
void interrupt_watch(void);
// Also asks to stop early enough that a save ends within `seconds` from now.
void interrupt_after(double seconds);
bool interrupt_asked(void *context);
const char *interrupt_reason(void); // "interrupted", "wall time reached"
double seconds_now(void);           // of a clock that only goes forward

// Progress of a long command: a bar on a terminal, lines now and then elsewhere.
typedef struct progress {
    const char *what; // "run", "render", "export"
    bool json, quiet, terminal, drawn, broken;
    double started, last;
    char models[240]; // steps and time of each, of the last frame; "": one model
} progress;
void progress_start(progress *p, const char *what, const arguments *given);
void progress_run(void *context, const firn_progress *now);
void progress_frames(void *context, uint64_t frame, uint64_t frames, double eta);
// True when a signal came or stdout can no longer be written.
bool progress_stop(void *context);
void progress_end(progress *p);
// "1:05", "0.8 s": a time for people, in a static buffer that the next call reuses.
const char *time_text(double seconds);

#endif
