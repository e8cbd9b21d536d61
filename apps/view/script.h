// Scripts that drive the window without hands.
#ifndef VIEW_SCRIPT_H
#define VIEW_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct script script;
struct view;

// NULL: *why says what is wrong, with file and line.
script *script_read(const char *path, char *why, size_t room);
void script_free(script *s); // NULL is fine
// Once per frame of the window: does what can be done now.
void script_advance(script *s, struct view *v);

#endif
