// The command `firn`: a table of subcommands over the library.
#include "command.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const command commands[] = {
    {.name = "run",
     .usage = "SCENE|- -o DIR",
     .summary = "simulate a scene into a folder",
     .options = "output frames threads set force wall-time",
     .least = 1,
     .most = 1,
     .run = command_run,
     .help = "Simulates SCENE (a file, - for standard input, or the name of a scene that comes with firn)\n"
             "and writes one file per frame to DIR. Ctrl-C saves the state and stops; the same command\n"
             "continues from there, with the same result. The signals TERM, HUP, USR1, USR2, ALRM and XCPU,\n"
             "--wall-time and a closed pipe after --json do the same. A second Ctrl-C ends at once.\n"
             "\n"
             "  firn run tumble -o out/tumble\n"
             "  firn run my.yaml -o out/my --frames 30 --set bodies.ball.density=300\n"
             "  firn run my.yaml -o out/my --wall-time 2h --quiet\n"},
    {.name = "render",
     .usage = "DIR -o FILE.mp4|FILE.png|DIR",
     .summary = "draw a run: a movie, one picture, or numbered pictures",
     .options = "output size quality compare pictures camera frame range set threads",
     .least = 1,
     .most = 1,
     .run = command_render,
     .help = "Draws the frames of the run in DIR. The file extension of the output decides: .mp4, .webm,\n"
             ".gif or .webp gives a movie, .png or .exr the last frame (or --frame N), anything else a\n"
             "folder of numbered PNG (or --pictures exr) files. Needs no display.\n"
             "--frames 10:50:5 draws only frames 10, 15, ..., 50.\n"
             "--quality final traces paths of light: light inside of snow, soft shadows, no noise, minutes\n"
             "per picture. A killed one goes on where it was when the same command is given again.\n"
             "--set changes the appearance: everything under picture, camera and cameras.\n"
             "\n"
             "  firn render out/tumble -o tumble.mp4 --size 1280x720\n"
             "  firn render out/hare -o hare.png --frame 30 --set picture.color=mpm.speed\n"},
    {.name = "view",
     .usage = "[SCENE|DIR]",
     .summary = "open a window: see a scene run, touch it, change it; or play a run",
     .options = "set size threads script record replay output frames force draw measure",
     .least = 0,
     .most = 1,
     .run = command_view,
     .help =
         "Opens a window that shows SCENE at once and simulates it, plays the run in DIR (also while it is\n"
         "being computed), or, without an argument, offers the scenes that come with firn. Parameters,\n"
         "camera and time are under your hands; ? lists the keys. --record writes every touch to a file,\n"
         "which --replay repeats without a window, to the same bits, with -o as a run into a folder that\n"
         "can be rendered. --script drives the window.\n"
         "Exit code 1: there is no display, no OpenGL 3.3, or this build has no viewer; a file could not\n"
         "be written; a script did not do what it says; a replay has another hash. 2: wrong arguments, or\n"
         "the scene, run, script or recording cannot be read.\n"
         "\n"
         "  firn view tumble\n"
         "  firn view out/tumble\n"
         "  firn view hare-drop --record hare.touches && firn view --replay hare.touches\n"
         "  firn view --replay hare.touches -o out/touched && firn render out/touched -o touched.mp4\n"},
    {.name = "check",
     .usage = "SCENE|- ...",
     .summary = "find all mistakes in a scene and estimate the cost of its run",
     .options = "set threads frames ranks",
     .least = 1,
     .most = SIZE_MAX,
     .run = command_check,
     .help =
         "Does everything that a run of SCENE does before its first step: reads the scene, opens and\n"
         "builds every file it names, compares memory and disk with this machine, and builds the world.\n"
         "Prints every mistake with its line (exit 2), warnings about what is probably not intended\n"
         "(exit 0), and the memory, disk space and time that a run will take. The time is measured on a\n"
         "part of the run, for at most two seconds. Nothing is written. With --ranks N also what each of N\n"
         "ranks needs and sends (docs/cluster.md), or what keeps the scene on one (exit 2).\n"
         "\n"
         "  firn check my.yaml\n"
         "  firn check --json scenes/mpm/*.yaml\n"},
    {.name = "explain",
     .usage = "[NAME]",
     .summary = "explain a key, shape, snow type or field",
     .options = "",
     .least = 0,
     .most = 1,
     .run = command_explain,
     .help = "Explains what NAME means in a scene: its effect, unit, default and range.\n"
             "\n"
             "  firn explain bodies.friction\n"
             "  firn explain hare\n"},
    {.name = "list",
     .usage = "[WHAT]",
     .summary = "list snow types, models, shapes, fields and shipped scenes",
     .options = "",
     .least = 0,
     .most = 1,
     .run = command_list,
     .help = "Lists everything that a scene can name, and the scenes that come with firn. WHAT is one of\n"
             "models, shapes, snow, fields, scenes, or the name of a model.\n"
             "\n"
             "  firn list fields\n"
             "  firn list wind\n"},
    {.name = "new",
     .usage = "NAME",
     .summary = "write a commented scene to start from",
     .options = "",
     .least = 1,
     .most = 1,
     .run = command_new,
     .help = "Writes NAME.yaml. An existing file is never overwritten.\n"
             "\n"
             "  firn new first && firn run first.yaml -o out/first\n"},
    {.name = "info",
     .usage = "DIR",
     .summary = "summarise a run, or plot its ledgers",
     .options = "plot",
     .least = 1,
     .most = 1,
     .run = command_info,
     .help = "Prints the title, frames, time, state hash and ledgers (mass, momentum, energy) of the run in\n"
             "DIR, or plots the ledgers over time (--plot, to a .png, .svg or .csv file).\n"
             "\n"
             "  firn info out/tumble --plot ledgers.png\n"},
    {.name = "verify",
     .usage = "DIR",
     .summary = "read every byte of a run and report damage",
     .options = "",
     .least = 1,
     .most = 1,
     .run = command_verify,
     .help = "Reads all files of the run in DIR, compares their checksums, and names those that are damaged\n"
             "or missing. Exit code 0: the run is intact; 1: it is not, and 'firn run' of the same scene to\n"
             "DIR repairs it; 2: DIR is not a run.\n"
             "\n"
             "  firn verify out/tumble\n"},
    {.name = "export",
     .usage = "DIR --format ply|obj|xdmf|png16|flt|asc -o DIR",
     .summary = "convert a run for other programs",
     .options = "format what output frame range threads",
     .least = 1,
     .most = 1,
     .run = command_export,
     .help =
         "Writes the frames of the run in DIR as point clouds (ply), meshes of the bodies (obj), an\n"
         "index for ParaView (xdmf), 16-bit height maps (png16), or rasters of floats (flt) or text (asc).\n"
         "--what surface writes surfaces of snow, water and cloth as meshes (ply, obj), --what density the\n"
         "density of snow on a grid (xdmf), --what field the surface of a snow field (obj), --what clods the "
         "same\n"
         "with clods and cracks as in pictures, --what cover the snow cover:\n"
         "its surface (ply, obj) or its depth and height (png16, flt, asc).\n"
         "\n"
         "  firn export out/tumble --format obj -o out/tumble-obj\n"
         "  firn export out/hare --format ply --what surface -o out/hare-surface\n"
         "  firn export out/storm --format asc --what cover -o out/storm-depth\n"},
    {.name = "hash",
     .usage = "SCENE|- --steps N",
     .summary = "print a hash of the state after N steps",
     .options = "steps threads set",
     .least = 1,
     .most = 1,
     .run = command_hash,
     .help = "Simulates N steps without writing anything and prints the hash of the complete state, which\n"
             "is the same for any number of threads.\n"
             "\n"
             "  firn hash tumble --steps 100 --threads 8\n"},
    {.name = "bench",
     .usage = "[WORKLOAD...]",
     .summary = "measure this machine's limits, and firn against them",
     .options = "threads csv",
     .least = 0,
     .most = 64,
     .run = command_bench,
     .help = "Runs all workloads, or those named, and prints the median rate of each and its share of what\n"
             "the machine can do (memory triad or FMA, measured in the same run).\n"
             "\n"
             "  firn bench triad query-sphere --threads 2\n"},
    {.name = "demo",
     .usage = "[-o DIR]",
     .summary = "simulate and draw a scene that shows what firn can do",
     .options = "output all full frames threads force size",
     .least = 0,
     .most = 0,
     .run = command_demo,
     .help =
         "Simulates a winter yard and draws it to demo.mp4 in DIR (default: firn-demo); ledgers and time\n"
         "series lie beside it as a plot and as a table. --full takes finer cells and more flakes and draws\n"
         "1920x1080, to demo-full.mp4. With --all, six scenes one after the other, to tour.mp4. The last\n"
         "line printed is the path of the movie. After an interruption the same command continues.\n"
         "\n"
         "  firn demo\n"
         "  firn demo --full -o out/demo\n"
         "  firn demo --all -o out/tour\n"},
    {.name = "reproduce",
     .usage = "mpm15|pbd19|phase21|field11|wind12 -o DIR",
     .summary = "run the figures of a thesis and write what it says beside what firn computes",
     .options = "output quick threads size",
     .least = 1,
     .most = 1,
     .run = command_reproduce,
     .help =
         "Runs the figures and measurements of a thesis that firn builds on, and writes one page (Markdown)\n"
         "to DIR: its statements and numbers, firn's, pictures, curves, commands and the machine.\n"
         "\n"
         "  field11  bodies that deform a field of snow: figures, worked examples, speeds; a minute\n"
         "  mpm15    snow by the material point method: hares of 182 000 particles; two to three hours on "
         "two cores\n"
         "  pbd19    solids and liquids by position-based dynamics: three solvers, decimated links; a "
         "minute\n"
         "  phase21  snow that melts and freezes: five scenes of up to 153 816 particles, with the change "
         "of\n"
         "           phase of the thesis and with latent heat; about 40 minutes\n"
         "  wind12   wind, flakes and cover: pictures, boundary conditions, Jacobi, whirls; some minutes\n"
         "\n"
         "With --quick a minute or two, with larger cells and particles, so that the pictures differ. After "
         "an\n"
         "interruption the same command continues.\n"
         "\n"
         "  firn reproduce mpm15 --quick -o out/mpm15\n"
         "  firn reproduce pbd19 -o out/pbd19\n"},
    {.name = "help",
     .usage = "[COMMAND]",
     .summary = "show this text, or the help of one command",
     .options = "",
     .least = 0,
     .most = 1,
     .run = command_help,
     .help = "Lists the commands, or shows what COMMAND does and which options it takes.\n"},
    {.name = "version",
     .usage = "",
     .summary = "show the version and the licences of all linked libraries",
     .options = "",
     .least = 0,
     .most = 0,
     .run = command_version,
     .help = "Prints the version of firn and the licences of the libraries that this build of the command\n"
             "links.\n"},
    {.name = "reference",
     .usage = "[couplings]",
     .summary = "print the reference of the scene language as Markdown",
     .options = "",
     .least = 0,
     .most = 1,
     .run = command_reference,
     .help = "Prints every key of a scene with its unit, default and range as Markdown, the content of\n"
             "docs/scene-reference.md; `firn reference couplings`: which models interact and how, the\n"
             "content of docs/who-meets-whom.md.\n"},
    {.name = "man",
     .usage = "[COMMAND]",
     .summary = "print a manual page",
     .options = "output",
     .least = 0,
     .most = 1,
     .run = command_man,
     .help = "Prints the manual page of firn or of one of its commands, or writes all of them to the folder\n"
             "given with -o.\n"
             "\n"
             "  firn man run | man -l -\n"},
    {.name = "completion",
     .usage = "bash|zsh|fish",
     .summary = "print a completion script for a shell",
     .options = "",
     .least = 1,
     .most = 1,
     .run = command_completion,
     .help =
         "Prints a script with which the shell completes commands, options, formats, scenes and the names\n"
         "that 'firn explain' knows. An installed firn has the scripts where the shells look for them.\n"
         "\n"
         "  source <(firn completion bash)\n"},
    {.name = NULL},
};

const command *command_find(const char *name) {
    for (const command *c = commands; c->name; c++)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}

int unknown_command(const char *name) {
    const char *names[sizeof commands / sizeof *commands];
    size_t count = 0;
    for (const command *c = commands; c->name; c++) names[count++] = c->name;
    const char *hint = did_you_mean(name, names, count);
    return say_usage("unknown command '%s'%s", name, *hint ? hint : "; 'firn help' lists them");
}

static void print_overview(FILE *out) {
    fprintf(out, "firn %s: simulates snow, from a scene file to a movie\n\nusage: firn COMMAND ...\n\n",
            firn_version());
    for (const command *c = commands; c->name; c++) fprintf(out, "  %-10s %s\n", c->name, c->summary);
    fputs("\nTo begin:  firn new first; firn run first.yaml -o out; firn render out -o first.mp4\n"
          "'firn help COMMAND' explains a command. Exit codes: 0 done, 1 failed, 2 invalid input, 130 "
          "interrupted "
          "after saving.\n",
          out);
}

static int print_command_help(const command *c) {
    printf("usage: firn %s%s%s [options]\n\n%s", c->name, *c->usage ? " " : "", c->usage, c->help);
    options_print_help(c);
    return EXIT_DONE;
}

int command_help(const arguments *given) {
    if (given->word_count == 0) {
        print_overview(stdout);
        return EXIT_DONE;
    }
    const command *c = command_find(given->words[0]);
    return c ? print_command_help(c) : unknown_command(given->words[0]);
}

static int run_command(const command *c, int argc, char **argv) {
    arguments given;
    int code = arguments_read(c, argc, argv, &given);
    if (code == EXIT_DONE && given.help)
        code = print_command_help(c);
    else if (code == EXIT_DONE && (code = say_status(firn_instruction_set(NULL))) == EXIT_DONE) {
        say_as(given.json, given.quiet);
        if (given.threads) firn_set_threads((int)given.threads);
        code = c->run(&given);
    }
    arguments_free(&given);
    return code;
}

static int main_command(int argc, char **argv) {
    if (argc < 2) {
        print_overview(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    bool json = false; // before the options are read, so that errors in them are reported as JSON, too
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) name = "version";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
        say_as(json = json || strcmp(argv[i], "--json") == 0, false);
    const command *c = command_find(name);
    if (!c) return unknown_command(name);
    return finish_output(run_command(c, argc - 2, argv + 2));
}

// Of several ranks, all run and hash; all else is done by the first. Only the first is heard.
static bool takes_part(int argc, char **argv) {
    if (firn_rank() == 0) return true;
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) return false;
    return argc > 1 && (strcmp(argv[1], "run") == 0 || strcmp(argv[1], "hash") == 0);
}

// Frames and states of megabytes come and go many times a second. Memory that goes back to the system each
// time must be cleared each time, which took a tenth of `firn render`.
static void keep_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 512 << 20);
#endif
}

int main(int argc, char **argv) {
    keep_memory();
    // A limit on file sizes and a closed pipe are errors to report, not reasons to die halfway.
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    firn_set_log(say_log, NULL);
    scenes_start();
    cache_use();
    if (firn_ranks_start(&argc, &argv) != FIRN_OK) return say_status(FIRN_BAD_INPUT);
    int code = takes_part(argc, argv) ? main_command(argc, argv) : EXIT_DONE;
    firn_ranks_end();
    return code;
}
