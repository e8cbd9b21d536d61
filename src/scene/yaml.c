// Builds the YAML tree from the events of libyaml.
#include "scene/yaml.h"

#include <string.h>
#include <yaml.h>

#include "scene/node_index.h"
#include "scene/yaml_error.h"

enum { DEEPEST = 64, MOST_NODES = 1 << 22, LONGEST_SCALAR = 1 << 20 };

typedef struct anchor {
    const char *name;
    const node *node; // NULL while it is being read
    struct anchor *before;
} anchor;

typedef struct composer {
    const source *source;
    arena *memory;
    problem_list *problems;
    yaml_parser_t parser;
    yaml_event_t event; // the present one
    bool have_event;
    anchor *anchors;
} composer;

static place place_between(const composer *c, yaml_mark_t start, yaml_mark_t end) {
    uint32_t width = end.line == start.line ? (uint32_t)(end.column - start.column) : UINT32_MAX;
    return (place){c->source, (uint32_t)start.line + 1, (uint32_t)start.column + 1, width ? width : 1};
}

static place place_of_event(const composer *c) {
    return place_between(c, c->event.start_mark, c->event.end_mark);
}

static void *out_of_memory(composer *c) {
    c->problems->no_memory = true;
    return NULL;
}

static bool next_event(composer *c) {
    if (c->have_event) yaml_event_delete(&c->event);
    c->have_event = yaml_parser_parse(&c->parser, &c->event) != 0;
    if (!c->have_event) yaml_error_add(&c->parser, c->source, c->problems);
    return c->have_event;
}

static node *new_node(composer *c, node_kind kind) {
    node *n = arena_alloc(c->memory, sizeof *n);
    if (!n) return out_of_memory(c);
    n->kind = kind;
    n->at = place_of_event(c);
    n->weight = 1;
    return n;
}

static node *compose(composer *c, int depth);

static node *compose_scalar(composer *c) {
    node *n = new_node(c, NODE_SCALAR);
    if (!n) return NULL;
    const char *value = (const char *)c->event.data.scalar.value;
    size_t length = c->event.data.scalar.length;
    if (length > LONGEST_SCALAR || memchr(value, 0, length)) {
        problem_add(c->problems, n->at,
                    length > LONGEST_SCALAR ? "this text is longer than a million characters"
                                            : "text must not contain the character \\0",
                    NULL);
        return NULL;
    }
    n->plain = c->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    n->text = arena_text(c->memory, value, length);
    return n->text ? n : out_of_memory(c);
}

// [a, b] and {a: b} on one line are meant as a whole.
static node *widen(const composer *c, node *n) {
    yaml_mark_t end = c->event.end_mark;
    bool flow = c->event.end_mark.index > c->event.start_mark.index;
    if (flow && end.line + 1 == n->at.line) n->at.width = (uint32_t)end.column + 1 - n->at.column;
    return n;
}

static node *compose_list(composer *c, int depth) {
    node *list = new_node(c, NODE_LIST);
    node_builder b = {.parent = list};
    while (list) {
        if (!next_event(c)) return NULL;
        if (c->event.type == YAML_SEQUENCE_END_EVENT) return widen(c, list);
        node *item = compose(c, depth + 1);
        if (!item) return NULL;
        node_builder_add(&b, item);
    }
    return NULL;
}

static node *compose_key(composer *c, int depth) {
    place at = place_of_event(c);
    node *key = compose(c, depth);
    if (!key) return NULL;
    if (key->kind == NODE_SCALAR && !node_is_empty(key)) return key;
    problem_add(c->problems, at, "a key must be a word", "write `key: value`");
    return NULL;
}

// Keeps the first of two equal keys.
static bool find_doubles(composer *c, node *map) {
    node_index index;
    if (!node_index_start(&index, map->count, c->memory)) return out_of_memory(c);
    node_builder kept = {.parent = map};
    const node *child = map->first;
    map->first = NULL;
    map->count = 0;
    map->weight = 1;
    for (const node *next; child; child = next) {
        next = child->next;
        const node **slot = node_index_slot(&index, child->key->text);
        if (*slot) {
            problem_addf(c->problems, child->key->at, NULL,
                         "key '%.60s' is given twice; the first is in line %u", child->key->text,
                         (*slot)->key->at.line);
            continue;
        }
        *slot = child;
        node *own = (node *)child; // the map is not published yet, so it may still change
        own->next = NULL;
        node_builder_add(&kept, own);
    }
    return true;
}

static node *compose_map(composer *c, int depth) {
    node *map = new_node(c, NODE_MAP);
    node_builder b = {.parent = map};
    while (map) {
        if (!next_event(c)) return NULL;
        if (c->event.type == YAML_MAPPING_END_EVENT) return find_doubles(c, map) ? widen(c, map) : NULL;
        node *key = compose_key(c, depth + 1);
        if (!key || !next_event(c)) return NULL;
        node *value = compose(c, depth + 1);
        if (!value) return NULL;
        value->key = key;
        node_builder_add(&b, value);
    }
    return NULL;
}

static node *compose_alias(composer *c) {
    const char *name = (const char *)c->event.data.alias.anchor;
    const anchor *a = c->anchors;
    while (a && strcmp(a->name, name) != 0) a = a->before;
    if (!a || !a->node) {
        problem_addf(c->problems, place_of_event(c), NULL,
                     a ? "'*%.60s' refers to a value that contains it"
                       : "unknown alias: there is no '&%.60s' above",
                     name);
        return NULL;
    }
    node *copy = arena_alloc(c->memory, sizeof *copy);
    if (!copy) return out_of_memory(c);
    *copy = *a->node;
    copy->next = copy->key = NULL;
    return copy;
}

// The anchor and the tag of the present event; both NULL for what has none.
static void properties(const yaml_event_t *e, const char **name, const char **tag) {
    *name = *tag = NULL;
    if (e->type == YAML_SCALAR_EVENT)
        *name = (const char *)e->data.scalar.anchor, *tag = (const char *)e->data.scalar.tag;
    if (e->type == YAML_SEQUENCE_START_EVENT)
        *name = (const char *)e->data.sequence_start.anchor, *tag = (const char *)e->data.sequence_start.tag;
    if (e->type == YAML_MAPPING_START_EVENT)
        *name = (const char *)e->data.mapping_start.anchor, *tag = (const char *)e->data.mapping_start.tag;
}

static anchor *open_anchor(composer *c, const char *name) {
    anchor *a = arena_alloc(c->memory, sizeof *a);
    if (a) a->name = arena_text(c->memory, name, strlen(name));
    if (!a || !a->name) return out_of_memory(c);
    a->before = c->anchors;
    c->anchors = a;
    return a;
}

static node *compose_new(composer *c, int depth) {
    switch (c->event.type) {
    case YAML_SCALAR_EVENT: return compose_scalar(c);
    case YAML_SEQUENCE_START_EVENT: return compose_list(c, depth);
    default: return compose_map(c, depth);
    }
}

// The node that begins with the present event; ends with its last event as the present one.
static node *compose(composer *c, int depth) {
    place at = place_of_event(c);
    if (depth > DEEPEST) {
        problem_addf(c->problems, at, NULL, "more than %d levels of nesting", DEEPEST);
        return NULL;
    }
    if (c->event.type == YAML_ALIAS_EVENT) return compose_alias(c);
    const char *name, *tag;
    properties(&c->event, &name, &tag);
    if (tag) {
        problem_addf(c->problems, at, "remove the tag",
                     "tags such as '%.60s' have no meaning in a scene; a key knows the type of its value",
                     tag);
        return NULL;
    }
    anchor *a = name ? open_anchor(c, name) : NULL;
    if (name && !a) return NULL;
    node *n = compose_new(c, depth);
    if (a) a->node = n;
    if (n && n->weight > MOST_NODES) {
        problem_addf(c->problems, at, NULL, "this holds more than %d values (aliases count each time)",
                     MOST_NODES);
        return NULL;
    }
    return n;
}

static node *empty_document(composer *c) {
    node *n = new_node(c, NODE_SCALAR);
    if (n) n->plain = true, n->text = "";
    return n;
}

static const node *compose_document(composer *c) {
    if (!next_event(c) || !next_event(c)) return NULL; // start of stream, then of document
    if (c->event.type == YAML_STREAM_END_EVENT) return empty_document(c);
    if (!next_event(c)) return NULL;
    const node *root = compose(c, 0);
    if (!root || !next_event(c) || !next_event(c)) return NULL; // end of document, then of stream
    if (c->event.type == YAML_STREAM_END_EVENT) return root;
    problem_add(c->problems, place_of_event(c), "a second document begins here; a scene file holds one",
                "remove this line and everything after it");
    return NULL;
}

const node *yaml_read(const source *s, arena *memory, problem_list *problems) {
    if (!source_check_characters(s, problems)) return NULL;
    composer c = {.source = s, .memory = memory, .problems = problems};
    if (!yaml_parser_initialize(&c.parser)) return out_of_memory(&c);
    yaml_parser_set_encoding(&c.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&c.parser, (const unsigned char *)s->text, s->bytes);
    const node *root = compose_document(&c);
    if (c.have_event) yaml_event_delete(&c.event);
    yaml_parser_delete(&c.parser);
    return root;
}

firn_status yaml_parse(const char *content, size_t bytes, arena *memory, const node **root) {
    problem_list problems = {.memory = memory};
    source *s = arena_alloc(memory, sizeof *s); // nodes point to it
    *root = NULL;
    if (s)
        *s = (source){.name = "", .text = arena_text(memory, content, bytes), .bytes = bytes, .folder = ""};
    if (!s || !s->text) return fail_memory("reading a text", bytes);
    const node *read = yaml_read(s, memory, &problems);
    bool no_memory = problems.no_memory;
    if (!problems.found) *root = read;
    problem_list_free(&problems);
    return no_memory ? fail_memory("reading a text", bytes) : FIRN_OK;
}
