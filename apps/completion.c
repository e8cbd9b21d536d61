// Completion for shells, from the tables of commands and options.
#include "command.h"

#include <assert.h>
#include <string.h>

#include "bench/bench.h"

// What the words of a command are, by its usage.
static bool begins(const command *c, const char *word) {
    const char *usage = c->usage + (*c->usage == '[');
    return strncmp(usage, word, strlen(word)) == 0;
}
static bool takes_scenes(const command *c) { return begins(c, "SCENE"); }
static bool takes_folders(const command *c) { return begins(c, "DIR"); }

// The words a command takes, each after a space; those of scenes and files are left to the shell's own lists.
static int put_words(const command *c) {
    assert(c->name); // the list's end is no command
    if (takes_scenes(c)) return scenes_print_names();
    if (begins(c, "COMMAND"))
        for (const command *other = commands; other->name; other++) printf(" %s", other->name);
    if (begins(c, "WORKLOAD"))
        for (const bench_workload *w = bench_workloads; w->name; w++) printf(" %s", w->name);
    if (begins(c, "bash")) printf(" bash zsh fish");
    if (strcmp(c->name, "explain") != 0) return EXIT_DONE;
    char *names = NULL;
    int code = say_status(firn_explain_names(&names));
    for (char *at = names; at && *at; at += strcspn(at, "\n"), at += *at != 0)
        printf(" %.*s", (int)strcspn(at, "\n"), at);
    firn_text_free(names);
    return code;
}

static bool has_files(const option *o) {
    return o->value && (strncmp(o->value, "PATH", 4) == 0 || strncmp(o->value, "FILE", 4) == 0);
}

static bool has_words(const option *o) { return o->value && strchr(o->value, '|'); }

static void put_choices(const option *o) {
    for (const char *c = o->value; *c; c++) putchar(*c == '|' ? ' ' : *c);
}

static void put_quoted(const char *text, const char *escaped) {
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr(escaped, *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void bash_values(const command *c) {
    for (const option *o = options_next(c, NULL); o; o = options_next(c, o)) {
        if (o->kind == OPTION_FLAG) continue;
        printf("    %s:--%s", c->name, o->name);
        if (o->letter) printf("|%s:-%c", c->name, o->letter);
        printf(has_files(o) ? ") files=1" : ") words='");
        if (has_words(o)) put_choices(o);
        printf(has_files(o) ? " ;;\n" : "' ;;\n");
    }
}

static int bash_words(const command *c) {
    printf("    %s:-*) words='", c->name);
    for (const option *o = options_next(c, NULL); o; o = options_next(c, o)) printf(" --%s", o->name);
    printf("' ;;\n    %s:*) words='", c->name);
    int code = put_words(c);
    printf("'%s ;;\n", takes_scenes(c) || takes_folders(c) ? " files=1" : "");
    return code;
}

static int print_bash(void) {
    int code = EXIT_DONE;
    printf("# bash completion of firn %s, written by 'firn completion bash'\n"
           "_firn() {\n"
           "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words='' files='' "
           "known=1\n"
           "  COMPREPLY=()\n"
           "  if ((COMP_CWORD == 1)); then\n"
           "    words='--help --version",
           firn_version());
    for (const command *c = commands; c->name; c++) printf(" %s", c->name);
    printf("'\n  else\n    case ${COMP_WORDS[1]}:$before in\n");
    for (const command *c = commands; c->name; c++) bash_values(c);
    printf("    *) known='' ;;\n    esac\n    [[ $known ]] || case ${COMP_WORDS[1]}:$word in\n");
    for (const command *c = commands; c->name && code == EXIT_DONE; c++) code = bash_words(c);
    printf("    esac\n  fi\n"
           "  local IFS=$' \\t\\n'\n"
           "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
           "  IFS=$'\\n'\n"
           "  [[ $files ]] && COMPREPLY+=($(compgen -f -- \"$word\"))\n"
           "  return 0\n}\n"
           "complete -o filenames -F _firn firn\n");
    return code;
}

static void zsh_option(const option *o) {
    printf(" \\\n      ");
    if (o->letter)
        printf("'(-%c --%s)'{-%c,--%s}'[", o->letter, o->name, o->letter, o->name);
    else
        printf("'--%s[", o->name);
    put_quoted(o->help, "[]:\\");
    printf("]");
    if (o->kind != OPTION_FLAG) printf(":%s:", o->name);
    if (has_files(o)) printf("_files");
    if (has_words(o)) {
        printf("(");
        put_choices(o);
        printf(")");
    }
    printf("'");
}

static int print_zsh(void) {
    int code = EXIT_DONE;
    printf("#compdef firn\n# zsh completion of firn %s, written by 'firn completion zsh'\n_firn() {\n"
           "  local -a names\n  names=(\n",
           firn_version());
    for (const command *c = commands; c->name; c++) {
        printf("    '%s:", c->name);
        put_quoted(c->summary, ":");
        printf("'\n");
    }
    printf("  )\n  if ((CURRENT == 2)); then\n    _describe command names\n    return\n  fi\n"
           "  local name=$words[2]\n  shift words\n  ((CURRENT--))\n  case $name in\n");
    for (const command *c = commands; c->name && code == EXIT_DONE; c++) {
        printf("  %s)\n    _arguments -s", c->name);
        for (const option *o = options_next(c, NULL); o; o = options_next(c, o)) zsh_option(o);
        bool files = takes_scenes(c) || takes_folders(c);
        printf(" \\\n      '*:word:%s", files ? "{ compadd -- " : "(");
        code = put_words(c);
        printf("%s'\n    ;;\n", files ? "; _files }" : ")");
    }
    printf("  esac\n}\n_firn \"$@\"\n");
    return code;
}

static int print_fish(void) {
    int code = EXIT_DONE;
    printf("# fish completion of firn %s, written by 'firn completion fish'\ncomplete -c firn -f\n",
           firn_version());
    for (const command *c = commands; c->name; c++) {
        printf("complete -c firn -n __fish_use_subcommand -a %s -d '", c->name);
        put_quoted(c->summary, "");
        printf("'\n");
    }
    for (const command *c = commands; c->name && code == EXIT_DONE; c++) {
        printf("complete -c firn -n '__fish_seen_subcommand_from %s'%s -a '", c->name,
               takes_scenes(c) || takes_folders(c) ? " -F" : "");
        code = put_words(c);
        printf("'\n");
        for (const option *o = options_next(c, NULL); o; o = options_next(c, o)) {
            printf("complete -c firn -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
            if (o->letter) printf(" -s %c", o->letter);
            if (o->kind != OPTION_FLAG) printf(has_files(o) ? " -r -F" : " -x");
            if (has_words(o)) {
                printf(" -a '");
                put_choices(o);
                printf("'");
            }
            printf(" -d '");
            put_quoted(o->help, "");
            printf("'\n");
        }
    }
    return code;
}

int command_completion(const arguments *given) {
    static const char *const shells[] = {"bash", "zsh", "fish"};
    const char *shell = given->words[0];
    if (strcmp(shell, "bash") == 0) return print_bash();
    if (strcmp(shell, "zsh") == 0) return print_zsh();
    if (strcmp(shell, "fish") == 0) return print_fish();
    const char *hint = did_you_mean(shell, shells, 3);
    return say_usage("unknown shell '%s'%s", shell, *hint ? hint : ": one of bash, zsh, fish");
}
