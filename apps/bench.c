// `firn bench`: prints what bench/ measures.
#include "command.h"

#include "bench/bench.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct output {
    bool json;
    FILE *csv;
    bool heading;
} output;

static void print_json(const bench_result *r) {
    printf("{\"workload\": ");
    print_json_text(r->workload);
    printf(", \"rate\": %.6g, \"rate_unit\": ", r->rate);
    print_json_text(r->rate_unit);
    printf(", \"steps_per_second\": %.6g, \"threads\": %d, \"limit\": ", r->steps_per_second, r->threads);
    print_json_text(r->limit);
    printf(", \"limit_share\": %.4g, \"bytes_per_item\": %.6g, \"passes\": {", r->limit_share,
           r->bytes_per_item);
    for (int i = 0; i < r->pass_count; i++) {
        if (i) printf(", ");
        print_json_text(r->passes[i].name);
        printf(": %.4g", r->passes[i].share);
    }
    printf("}");
    if (r->error > 0) printf(", \"error\": %.4g", r->error);
    if (r->note) {
        printf(", \"note\": ");
        print_json_text(r->note);
    }
    printf("}\n");
    fflush(stdout);
}

static void print_row(output *out, const bench_result *r) {
    static const char *const prefixes[] = {"", "k", "M", "G", "T"};
    double rate = r->rate;
    int prefix = 0;
    while (rate >= 1000 && prefix < 4) rate /= 1000, prefix++;
    if (!out->heading)
        printf("%-14s %7s  %-26s %12s  %s\n", "workload", "threads", "rate", "steps/s", "share of limit");
    out->heading = true;
    char text[64];
    snprintf(text, sizeof text, "%.3g %s%s", rate, prefixes[prefix], r->rate_unit);
    printf("%-14s %7d  %-26s %12.4g  %.0f %% of %s\n", r->workload, r->threads, text, r->steps_per_second,
           100 * r->limit_share, r->limit);
    for (int i = 0; i < r->pass_count; i++)
        printf("  %5.1f %%  %s\n", 100 * r->passes[i].share, r->passes[i].name);
    if (r->error > 0 && r->error_name) printf("  %s %.2g %%\n", r->error_name, 100 * r->error);
    if (r->error > 0 && !r->error_name) printf("  off by a factor of %.2f at most\n", r->error);
    if (r->note) printf("  %s\n", r->note);
    fflush(stdout);
}

static void emit(void *context, const bench_result *r) {
    output *out = context;
    if (out->json)
        print_json(r);
    else
        print_row(out, r);
    if (!out->csv) return;
    char when[32];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    fprintf(out->csv, "%s,%s,%s,%d,%.6g,%s,%.6g,%s,%.4g,%.6g\n", when, firn_version(), r->workload,
            r->threads, r->rate, r->rate_unit, r->steps_per_second, r->limit, r->limit_share,
            r->bytes_per_item);
}

static const bench_workload *find_workload(const char *name) {
    for (const bench_workload *w = bench_workloads; w->name; w++)
        if (strcmp(w->name, name) == 0) return w;
    return NULL;
}

static int check_names(const arguments *given) {
    const char *names[64];
    size_t count = 0;
    for (const bench_workload *w = bench_workloads; w->name && count < 64; w++) names[count++] = w->name;
    for (size_t i = 0; i < given->word_count; i++) {
        if (find_workload(given->words[i])) continue;
        const char *hint = did_you_mean(given->words[i], names, count);
        int code = say_usage("unknown workload '%s'%s", given->words[i], hint);
        for (const bench_workload *w = bench_workloads; !*hint && w->name; w++)
            fprintf(stderr, "  %-14s %s\n", w->name, w->help);
        return code;
    }
    return EXIT_DONE;
}

static int open_csv(const char *path, output *out) {
    out->csv = fopen(path, "a");
    if (!out->csv) return say_failed("cannot write '%s': %s", path, strerror(errno));
    fseek(out->csv, 0, SEEK_END);
    if (ftell(out->csv) == 0)
        fputs("time,version,workload,threads,rate,rate_unit,steps_per_second,limit,limit_share,bytes_per_"
              "item\n",
              out->csv);
    return EXIT_DONE;
}

static int run_workloads(const arguments *given, output *out) {
    int code = EXIT_DONE;
    interrupt_watch();
    for (const bench_workload *w = bench_workloads; w->name; w++) {
        bool wanted = given->word_count == 0;
        for (size_t i = 0; i < given->word_count; i++)
            wanted = wanted || strcmp(given->words[i], w->name) == 0;
        if (interrupt_asked(NULL)) return EXIT_INTERRUPTED;
        if (wanted) code = say_status(w->run(emit, out));
        if (code != EXIT_DONE) return code;
    }
    return code;
}

int command_bench(const arguments *given) {
    output out = {.json = given->json};
    int code = check_names(given);
    if (code == EXIT_DONE && given->csv) code = open_csv(given->csv, &out);
    if (code == EXIT_DONE) code = run_workloads(given, &out);
    if (out.csv && (fflush(out.csv) != 0 || ferror(out.csv)))
        code = say_failed("cannot write '%s'", given->csv);
    if (out.csv && fclose(out.csv) != 0) code = say_failed("cannot write '%s'", given->csv);
    return code;
}
