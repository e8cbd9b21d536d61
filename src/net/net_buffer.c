// Messages that grow, for both versions of net.h.
#include "net/net.h"

#include <string.h>

void *net_buffer_room(net_buffer *b, size_t bytes) {
    if (b->bytes + bytes > b->capacity && !array_reserve(&b->data, &b->capacity, b->bytes + bytes, 1))
        net_abort("out of memory for a message");
    void *room = b->data + b->bytes;
    b->bytes += bytes;
    return room;
}

void net_buffer_add(net_buffer *b, const void *data, size_t bytes) {
    if (bytes > 0) memcpy(net_buffer_room(b, bytes), data, bytes);
}

void net_buffer_free(net_buffer *b) {
    mem_free(b->data);
    *b = (net_buffer){0};
}
