// The child process that reads a mesh with Assimp and sends it through a pipe.
#include "geom/mesh_import.h"

#if FIRN_HAVE_ASSIMP

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/library.h"

#define ASSIMP_CALLS(X)                                                                                      \
    X(aiCreatePropertyStore)                                                                                 \
    X(aiGetErrorString)                                                                                      \
    X(aiIdentityMatrix4)                                                                                     \
    X(aiImportFileExWithProperties)                                                                          \
    X(aiMatrix4Determinant)                                                                                  \
    X(aiMultiplyMatrix4) X(aiReleasePropertyStore) X(aiSetImportPropertyInteger) X(aiTransformVecByMatrix4)
typedef struct assimp {
    ASSIMP_CALLS(LIBRARY_CALL)
} assimp;
static assimp lib; // of the child, which has one thread

enum { MAX_DEPTH = 200, MAX_VISITS = 1000000, ROOM = 3 * 1024 };

typedef struct importer {
    const struct aiScene *scene;
    int pipe;
    bool broken; // the pipe
    const char *problem;
    uint64_t vertices, triangles;
    uint32_t visits;
    union {
        float f[ROOM];
        uint32_t i[ROOM];
    } buffer;
    size_t filled;
} importer;

static void send_bytes(importer *m, const void *data, size_t bytes) {
    const char *p = data;
    while (bytes && !m->broken) {
        ssize_t done = write(m->pipe, p, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0)
            m->broken = true;
        else
            p += done, bytes -= (size_t)done;
    }
}

static void flush(importer *m) {
    send_bytes(m, m->buffer.i, m->filled * sizeof *m->buffer.i);
    m->filled = 0;
}

static void send_problem(importer *m, const char *problem) {
    mesh_import_head head = {.magic = MESH_IMPORT_MAGIC};
    snprintf(head.problem, sizeof head.problem, "%s", problem && *problem ? problem : "unknown format");
    for (char *c = head.problem; *c; c++)
        if (!isprint((unsigned char)*c)) *c = ' ';
    send_bytes(m, &head, sizeof head);
}

// Calls each for every mesh of every node, with the node's place in the world. Depth first, in the order of
// the file.
typedef void (*each_mesh)(importer *m, const struct aiMesh *part, const struct aiMatrix4x4 *place,
                          uint64_t first);

static uint64_t walk(importer *m, const struct aiNode *node, struct aiMatrix4x4 place, int depth,
                     uint64_t first, each_mesh each) {
    if (depth > MAX_DEPTH || ++m->visits > MAX_VISITS) {
        m->problem = "it has too many nodes";
        return first;
    }
    lib.aiMultiplyMatrix4(&place, &node->mTransformation);
    for (unsigned i = 0; i < node->mNumMeshes && !m->problem && !m->broken; i++) {
        if (node->mMeshes[i] >= m->scene->mNumMeshes) {
            m->problem = "a node refers to a mesh that does not exist";
            return first;
        }
        const struct aiMesh *part = m->scene->mMeshes[node->mMeshes[i]];
        each(m, part, &place, first);
        first += part->mNumVertices;
    }
    for (unsigned i = 0; i < node->mNumChildren && !m->problem && !m->broken; i++)
        first = walk(m, node->mChildren[i], place, depth + 1, first, each);
    return first;
}

static void walk_all(importer *m, each_mesh each) {
    struct aiMatrix4x4 identity;
    lib.aiIdentityMatrix4(&identity);
    m->visits = 0;
    walk(m, m->scene->mRootNode, identity, 0, 0, each);
}

static void count(importer *m, const struct aiMesh *part, const struct aiMatrix4x4 *place, uint64_t first) {
    (void)place;
    (void)first;
    m->vertices += part->mNumVertices;
    for (unsigned i = 0; i < part->mNumFaces; i++) m->triangles += part->mFaces[i].mNumIndices == 3;
    if (m->vertices > MESH_IMPORT_MAX || m->triangles > MESH_IMPORT_MAX) m->problem = "it is too large";
}

static void send_vertices(importer *m, const struct aiMesh *part, const struct aiMatrix4x4 *place,
                          uint64_t first) {
    (void)first;
    for (unsigned i = 0; i < part->mNumVertices; i++) {
        struct aiVector3D v = part->mVertices[i];
        lib.aiTransformVecByMatrix4(&v, place);
        if (m->filled == ROOM) flush(m);
        m->buffer.f[m->filled++] = v.x;
        m->buffer.f[m->filled++] = v.y;
        m->buffer.f[m->filled++] = v.z;
    }
}

static void send_triangles(importer *m, const struct aiMesh *part, const struct aiMatrix4x4 *place,
                           uint64_t first) {
    bool mirrored =
        lib.aiMatrix4Determinant(place) < 0.0f; // turn triangles back, so that outside stays outside
    for (unsigned i = 0; i < part->mNumFaces; i++) {
        const struct aiFace *face = &part->mFaces[i];
        if (face->mNumIndices != 3) continue; // points and lines
        if (m->filled == ROOM) flush(m);
        for (int k = 0; k < 3; k++)
            m->buffer.i[m->filled++] = (uint32_t)(first + face->mIndices[mirrored ? 2 - k : k]);
    }
}

// Positions and faces are all that we want of a file.
static const struct aiScene *load(const char *path) {
    struct aiPropertyStore *properties = lib.aiCreatePropertyStore();
    lib.aiSetImportPropertyInteger(properties, AI_CONFIG_PP_RVC_FLAGS,
                                   aiComponent_NORMALS | aiComponent_TANGENTS_AND_BITANGENTS |
                                       aiComponent_COLORS | aiComponent_TEXCOORDS | aiComponent_BONEWEIGHTS |
                                       aiComponent_ANIMATIONS | aiComponent_TEXTURES | aiComponent_LIGHTS |
                                       aiComponent_CAMERAS | aiComponent_MATERIALS);
    lib.aiSetImportPropertyInteger(properties, AI_CONFIG_PP_SBP_REMOVE,
                                   aiPrimitiveType_POINT | aiPrimitiveType_LINE);
    unsigned steps = aiProcess_RemoveComponent | aiProcess_Triangulate | aiProcess_SortByPType;
    const struct aiScene *scene = lib.aiImportFileExWithProperties(path, steps, NULL, properties);
    lib.aiReleasePropertyStore(properties);
    return scene;
}

static firn_status open_assimp(assimp *calls) {
    static const char *const files[] = {FIRN_ASSIMP_FILE, NULL}, *const names[] = {ASSIMP_CALLS(LIBRARY_NAME)
                                                                                       NULL};
    return library_open(&(library){files, names, "read mesh files", "Assimp (libassimp5)"}, calls);
}

firn_status mesh_import_prepare(void) { return open_assimp(NULL); }

void mesh_import(const char *path, int pipe) {
    static importer m; // the process does nothing else
    m.pipe = pipe;
    if (open_assimp(&lib) != FIRN_OK) {
        send_problem(&m, firn_last_error());
        return;
    }
    m.scene = load(path);
    if (!m.scene || !m.scene->mRootNode) {
        send_problem(&m, lib.aiGetErrorString());
        return;
    }
    walk_all(&m, count);
    if (!m.problem && !m.triangles) m.problem = "it has no triangles";
    if (m.problem) {
        send_problem(&m, m.problem);
        return;
    }
    mesh_import_head head = {.magic = MESH_IMPORT_MAGIC, .vertices = m.vertices, .triangles = m.triangles};
    send_bytes(&m, &head, sizeof head);
    walk_all(&m, send_vertices);
    flush(&m);
    walk_all(&m, send_triangles);
    flush(&m);
    uint64_t end = MESH_IMPORT_END;
    send_bytes(&m, &end, sizeof end);
}

#endif
