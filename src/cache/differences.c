// What differs between two scenes, for the message that refuses to mix them.
#include "cache/folder.h"

#include <string.h>

#include "scene/yaml.h"

enum { SHOWN_DIFFERENCES = 6, LONGEST_VALUE = 100 };

// The keys above a value, from the value upwards.
typedef struct key_path {
    const struct key_path *above;
    const char *key;
} key_path;

typedef struct comparison {
    text out;
    int shown;
    bool more;
} comparison;

static void add_path(text *t, const key_path *p) {
    if (!p) return;
    add_path(t, p->above);
    text_add(t, "%s%s", p->above ? "." : "", p->key);
}

// "[0, 5, 0]", on one line
static void add_value(text *t, const node *n) {
    if (n->kind == NODE_SCALAR) {
        text_add(t, "%s", n->text);
        return;
    }
    text_add(t, n->kind == NODE_MAP ? "{" : "[");
    for (const node *child = n->first; child; child = child->next) {
        if (child != n->first) text_add(t, ", ");
        if (n->kind == NODE_MAP) text_add(t, "%s: ", child->key->text);
        add_value(t, child);
    }
    text_add(t, n->kind == NODE_MAP ? "}" : "]");
}

// "  there: bodies.ball.at: [0, 5, 0]"
static void add_line(text *t, const char *label, const key_path *path, const node *n) {
    text value = {0};
    add_value(&value, n);
    text_add(t, "  %s ", label);
    add_path(t, path);
    if (value.data && value.length > LONGEST_VALUE)
        text_add(t, ": %.*s...\n", LONGEST_VALUE, value.data);
    else
        text_add(t, ": %s\n", value.data ? value.data : "");
    t->failed = t->failed || value.failed;
    text_free(&value);
}

static void differ(comparison *c, const key_path *path, const node *before, const node *after) {
    if (c->shown == SHOWN_DIFFERENCES) {
        c->more = true;
        return;
    }
    if (before) add_line(&c->out, "there:", path, before);
    if (after) add_line(&c->out, "now:  ", path, after);
    c->shown++;
}

static bool same(const node *a, const node *b) {
    if (a->kind != b->kind || a->count != b->count) return false;
    if (a->kind == NODE_SCALAR) return strcmp(a->text, b->text) == 0;
    const node *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next)
        if ((a->kind == NODE_MAP && strcmp(x->key->text, y->key->text) != 0) || !same(x, y)) return false;
    return true;
}

static void compare(comparison *c, const key_path *path, const node *before, const node *after) {
    if (same(before, after)) return;
    if (before->kind != NODE_MAP || after->kind != NODE_MAP) {
        differ(c, path, before, after);
        return;
    }
    for (const node *child = before->first; child; child = child->next) {
        const node *other = node_child(after, child->key->text);
        const key_path here = {path, child->key->text};
        if (other)
            compare(c, &here, child, other);
        else
            differ(c, &here, child, NULL);
    }
    for (const node *child = after->first; child; child = child->next)
        if (!node_child(before, child->key->text))
            differ(c, &(key_path){path, child->key->text}, NULL, child);
}

firn_status scene_differences(const char *before, const char *after, char **out) {
    arena memory = {0};
    const node *a, *b = NULL;
    comparison c = {0};
    *out = NULL;
    firn_status status = yaml_parse(before, strlen(before), &memory, &a);
    if (status == FIRN_OK) status = yaml_parse(after, strlen(after), &memory, &b);
    if (status == FIRN_OK && a && b) compare(&c, NULL, a, b);
    if (c.more) text_add(&c.out, "  ...\n");
    arena_free(&memory);
    if (status == FIRN_OK) return text_take(&c.out, out);
    text_free(&c.out);
    return status;
}
