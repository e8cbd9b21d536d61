// Translates libyaml's error messages for people who do not know YAML's grammar.
#include "scene/yaml_error.h"

#include <stdio.h>
#include <string.h>

// libyaml's message, our message, what to do. `begins` adds the line where the construct began.
static const struct {
    const char *theirs, *ours, *hint;
    bool begins;
} known[] = {
    {"mapping values are not allowed in this context", "a ':' is not allowed here",
     "check the indentation of this line; a text that holds ': ' needs quotes", false},
    {"did not find expected key", "expected a key here", "check the indentation, and the brackets above",
     false},
    {"could not find expected ':'", "a key must be followed by ':' and a space", NULL, false},
    {"did not find expected ',' or '}'", "expected ',' or '}'", "values inside { } are separated by commas",
     true},
    {"did not find expected ',' or ']'", "expected ',' or ']'", "values inside [ ] are separated by commas",
     true},
    {"did not find expected '-' indicator", "expected '-'",
     "the items of a list begin in the same column, each after '- '", true},
    {"block sequence entries are not allowed in this context", "a list cannot begin here",
     "begin it on a new line, indented", false},
    {"block mapping entries are not allowed in this context", "a map cannot begin here",
     "begin it on a new line, indented", false},
    {"mapping keys are not allowed in this context", "a key is not allowed here", "check the indentation",
     false},
    {"found unknown escape character", "unknown escape sequence",
     "write \\\\ for a backslash, or use single quotes", false},
    {"did not find expected hexdecimal number", "hexadecimal digits must follow here", NULL, false},
    {"found invalid Unicode character escape code", "this character does not exist in Unicode", NULL, false},
    {"did not find expected node content", "a value is missing here", NULL, false},
    {"did not find expected <document start>", "this does not belong to the text above",
     "check the indentation", false},
    {"found undefined tag handle", "tags have no meaning in a scene", "remove the tag", false},
    {"found incompatible YAML document", "unknown YAML version", "remove the %YAML line", false},
    {"found a tab character that violates indentation", "tabs are not allowed in the indentation",
     "use spaces", false},
    {"found a tab character where an indentation space is expected",
     "tabs are not allowed in the indentation", "use spaces", false},
    {"found duplicate %YAML directive", "a second %YAML line", "remove one", false},
    {"exceeded maximum nesting", "too many levels of nesting", NULL, false},
};

static char character_at(const source *s, yaml_mark_t mark) {
    size_t skipped = 0;
    const char *c = s->text;
    for (; *c && skipped < mark.index; c++)
        if (((unsigned char)c[1] & 0xc0) != 0x80) skipped++;
    return *c;
}

static void cannot_start(const source *s, yaml_mark_t mark, place at, problem_list *problems) {
    char c = character_at(s, mark);
    if (c == '\t')
        problem_add(problems, at, "a tab is not allowed here", "indent with spaces");
    else
        problem_addf(problems, at, "put the text in quotes", "'%c' cannot begin a value", c);
}

void yaml_error_add(const yaml_parser_t *parser, const source *s, problem_list *problems) {
    if (parser->error == YAML_MEMORY_ERROR) {
        problems->no_memory = true;
        return;
    }
    yaml_mark_t mark = parser->problem_mark;
    place at = {s, (uint32_t)mark.line + 1, (uint32_t)mark.column + 1, 1};
    const char *theirs = parser->problem ? parser->problem : "it is not YAML";
    if (strcmp(theirs, "found character that cannot start any token") == 0) {
        cannot_start(s, mark, at, problems);
        return;
    }
    if (strcmp(theirs, "found unexpected end of stream") == 0 ||
        strcmp(theirs, "found unexpected document indicator") == 0) {
        place quote = {s, (uint32_t)parser->context_mark.line + 1, (uint32_t)parser->context_mark.column + 1,
                       1};
        problem_add(problems, quote, "the quote that opens here is never closed", "add the missing quote");
        return;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].theirs, theirs) != 0) continue;
        size_t begin = parser->context_mark.line + 1;
        if (known[i].begins && parser->context)
            problem_addf(problems, at, known[i].hint, "%s; it began in line %zu", known[i].ours, begin);
        else
            problem_add(problems, at, known[i].ours, known[i].hint);
        return;
    }
    problem_addf(problems, at, NULL, "this is not YAML: %s", theirs);
}
