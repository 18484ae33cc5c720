/* Textures: coordinates to texels to filtered colours, as in OpenGL ES 3.2, chapter 8. */
enum { SAMPLE, QUERY_LOD, GATHER, FETCH, SIZE, QUERY_LEVELS, QUERY_SAMPLES };
enum { COORDINATE, COMPARE, LOD, CHANGE_X, CHANGE_Y, BIAS, OFFSET, OFFSETS, MIN_LOD, OPERANDS };

/* Pointers among the uniforms: bytes before the first, their number, and whether an operand selects one. */
typedef struct texture_handle {
    uint32_t offset;
    uint32_t count;
    bool is_indexed;
} texture_handle;

/* An op over the lanes of a batch. Its operands are columns of words, one for each lane: the mask of the lanes that are active, the
   indices of texture and sampler if they have some, then the components. */
typedef struct texture_call {
    int op;
    uint32_t axes;
    bool is_cube, is_rectangle, is_float, is_arrayed, is_projective, has_implicit_levels, has_sampler;
    uint32_t lanes, component, results;
    /* For each operand the column of its first component, and the number of components; 0: there is none. */
    uint8_t operands[OPERANDS][2];
    texture_handle texture, sampler;
} texture_call;

/* A texture and the query of a lane. */
typedef struct texture_query {
    const texture_call *call;
    const planish_texture *texture;
    planish_sampler sampler;
    float coordinate[4];
    float compare;
    float lod;
    int32_t offset[3];
    float at[3];
    uint32_t layer;
} texture_query;

static uint32_t texture_levels(const planish_texture *texture) {
    return texture != NULL && texture->levels > 1u ? texture->levels : 1u;
}

static uint32_t texture_halved(uint32_t size, uint32_t level) {
    size = level < 32u ? size >> level : 0u;
    return size > 1u ? size : 1u;
}

/* Width, height, and depth or layers of a level; zeros beyond the last. */
static void texture_size(const texture_query *q, uint32_t level, uint32_t size[3]) {
    const planish_texture *t = q->texture;
    size[0] = size[1] = size[2] = 0u;
    if (level >= texture_levels(t)) return;
    size[0] = texture_halved(t != NULL ? t->width : 1u, level);
    size[1] = texture_halved(t != NULL ? t->height : 1u, level);
    size[2] = texture_halved(t != NULL ? t->depth : 1u, q->call->axes == 3u && !q->call->is_cube ? level : 0u);
}

static void texture_texel(const texture_query *q, uint32_t x, uint32_t y, uint32_t z, uint32_t level, uint32_t bits[4]) {
    const planish_texture *t = q->texture;
    uint32_t size[3];
    memset(bits, 0, 4u * sizeof *bits);
    if (t == NULL) {
        bits[3] = 0x3f800000u;
        return;
    }
    texture_size(q, level, size);
    if (x >= size[0] || y >= size[1] || z >= size[2]) return;
    if (t->texels == NULL) {
        if (t->texel != NULL) t->texel(t, x, y, z, level, bits);
        return;
    }
    size_t number = ((size_t)z * size[1] + y) * size[0] + x;
    for (uint32_t i = 0u; i < level; i++) {
        texture_size(q, i, size);
        number += (size_t)size[0] * size[1] * size[2];
    }
    memcpy(bits, (const uint8_t *)t->texels + 16u * number, 16u);
}

/* Face (+x -x +y -y +z -z) of a direction, and s, t and the length along the axis of the face. */
static uint32_t texture_face(const float v[3], float on[3]) {
    float x = v[0], y = v[1], z = v[2], ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    if (ax >= ay && ax >= az) {
        on[0] = x >= 0.0f ? -z : z, on[1] = -y, on[2] = ax;
        return x >= 0.0f ? 0u : 1u;
    }
    if (ay >= az) {
        on[0] = x, on[1] = y >= 0.0f ? z : -z, on[2] = ay;
        return y >= 0.0f ? 2u : 3u;
    }
    on[0] = z >= 0.0f ? x : -x, on[1] = -y, on[2] = az;
    return z >= 0.0f ? 4u : 5u;
}

static uint32_t texture_layer(float x, uint32_t count) {
    uint32_t layer = to_u32((double)nearbyintf(x)), last = count != 0u ? count - 1u : 0u;
    return layer < last ? layer : last;
}

/* Normalized coordinates, and the layer or face. */
static void texture_place(texture_query *q) {
    const texture_call *c = q->call;
    uint32_t size[3];
    texture_size(q, 0u, size);
    q->layer = 0u;
    q->at[0] = q->coordinate[0];
    q->at[1] = c->axes == 1u ? 0.5f : q->coordinate[1];
    q->at[2] = 0.0f;
    if (c->is_cube) {
        float on[3];
        uint32_t face = texture_face(q->coordinate, on);
        q->layer = 6u * (c->is_arrayed ? texture_layer(q->coordinate[3], size[2] / 6u) : 0u) + face;
        q->at[0] = (on[0] / on[2] + 1.0f) / 2.0f;
        q->at[1] = (on[1] / on[2] + 1.0f) / 2.0f;
    } else if (c->axes == 3u) {
        q->at[2] = q->coordinate[2];
    } else if (c->is_rectangle) {
        q->at[0] /= (float)size[0];
        q->at[1] /= (float)size[1];
    } else if (c->is_arrayed) {
        q->layer = texture_layer(q->coordinate[c->axes], size[2]);
    }
}

/* The change of the coordinates on the face of a cube from that of the direction. */
static void texture_face_change(const float v[3], float d[3]) {
    float on[3], s, t, m;
    uint32_t face = texture_face(v, on);
    switch (face) {
    case 0u: s = -d[2], t = -d[1], m = d[0]; break;
    case 1u: s = d[2], t = -d[1], m = -d[0]; break;
    case 2u: s = d[0], t = d[2], m = d[1]; break;
    case 3u: s = d[0], t = -d[2], m = -d[1]; break;
    case 4u: s = d[0], t = -d[1], m = d[2]; break;
    default: s = -d[0], t = -d[1], m = -d[2]; break;
    }
    d[0] = (s * on[2] - on[0] * m) / (on[2] * on[2]) / 2.0f;
    d[1] = (t * on[2] - on[1] * m) / (on[2] * on[2]) / 2.0f;
    d[2] = 0.0f;
}

static float texture_change(const texture_query *q, float d[3]) {
    const texture_call *c = q->call;
    uint32_t size[3];
    float sum = 0.0f;
    texture_size(q, 0u, size);
    if (c->is_cube) texture_face_change(q->coordinate, d);
    for (uint32_t i = 0u; i < (c->is_cube ? 2u : c->axes); i++) {
        float x = d[i] * (c->is_rectangle ? 1.0f : (float)size[i]);
        sum += x * x;
    }
    return sqrtf(sum);
}

static uint32_t texture_word(const texture_call *c, const uint32_t *words, int operand, uint32_t component, uint32_t lane) {
    if (component >= c->operands[operand][1]) return 0u;
    return words[(c->operands[operand][0] + component) * c->lanes + lane];
}

static float texture_number(const texture_call *c, const uint32_t *words, int operand, uint32_t component, uint32_t lane) {
    return f32_from_bits(texture_word(c, words, operand, component, lane));
}

/* The coordinates of a lane, and what they were divided by. */
static float texture_coordinate(const texture_call *c, const uint32_t *words, uint32_t lane, float to[4]) {
    for (uint32_t i = 0u; i < 4u; i++) to[i] = texture_number(c, words, COORDINATE, i, lane);
    if (!c->is_projective) return 1.0f;
    float divisor = to[c->operands[COORDINATE][1] - 1u];
    for (uint32_t i = 0u; i < 4u; i++) to[i] /= divisor;
    return divisor;
}

/* The computed level of detail of a lane, before it is clamped to the levels that there are. */
static float texture_lod(const texture_query *q, const uint32_t *words, uint32_t lane) {
    const texture_call *c = q->call;
    float bias = texture_number(c, words, BIAS, 0u, lane), low = -INFINITY, change[2][3] = {{0.0f}};
    if (c->operands[MIN_LOD][1] != 0u) low = texture_number(c, words, MIN_LOD, 0u, lane);
    if (c->operands[LOD][1] != 0u) return fmaxf(texture_number(c, words, LOD, 0u, lane), low);
    if (c->operands[CHANGE_X][1] != 0u) {
        bias = 0.0f;
        for (int axis = 0; axis < 2; axis++) {
            for (uint32_t i = 0u; i < 3u; i++) change[axis][i] = texture_number(c, words, CHANGE_X + axis, i, lane);
        }
    } else if (!c->has_implicit_levels) {
        return fmaxf(bias, low);
    } else {
        for (uint32_t axis = 0u; axis < 2u; axis++) {
            uint32_t first = lane & ~(1u << axis), second = first | 1u << axis;
            float a[4], b[4];
            if (words[first] == 0u || words[second] == 0u) continue;
            texture_coordinate(c, words, first, a);
            texture_coordinate(c, words, second, b);
            for (uint32_t i = 0u; i < 3u; i++) change[axis][i] = b[i] - a[i];
        }
    }
    float rho = fmaxf(texture_change(q, change[0]), texture_change(q, change[1]));
    float lod = rho > 0.0f ? (float)log2((double)rho) : -1000.0f;
    return fmaxf(lod + bias, low);
}

static float texture_clamp(float x, float low, float high) {
    return x < low ? low : x > high ? high : x;
}

static float texture_nearest_level(float lod, uint32_t last) {
    return fmaxf(ceilf(texture_clamp(lod, 0.0f, (float)last) + 0.5f) - 1.0f, 0.0f);
}

/* The index of a texel after wrapping; -1: the border. */
static int64_t texture_wrap(uint32_t mode, int64_t index, uint32_t count) {
    int64_t size = count > 1u ? count : 1, at;
    switch (mode) {
    case PLANISH_CLAMP: return index < 0 ? 0 : index < size ? index : size - 1;
    case PLANISH_MIRROR:
        at = (index % (2 * size) + 2 * size) % (2 * size);
        return at < size ? at : 2 * size - 1 - at;
    case PLANISH_BORDER: return index >= 0 && index < size ? index : -1;
    default: return (index % size + size) % size;
    }
}

/* The texel at an index that may lie outside. */
static void texture_at(const texture_query *q, const int64_t at[3], uint32_t level, uint32_t bits[4]) {
    const texture_call *c = q->call;
    uint32_t size[3];
    texture_size(q, level, size);
    memset(bits, 0, 4u * sizeof *bits);
    if (c->is_cube) {
        int64_t n = size[0] > 1u ? size[0] : 1;
        if (at[0] >= 0 && at[0] < n && at[1] >= 0 && at[1] < n) {
            texture_texel(q, (uint32_t)at[0], (uint32_t)at[1], q->layer, level, bits);
            return;
        }
        /* Beyond the edge is another face: that of the direction of the texel's centre. */
        float s = ((float)at[0] + 0.5f) / (float)n * 2.0f - 1.0f, t = ((float)at[1] + 0.5f) / (float)n * 2.0f - 1.0f;
        float v[3] = {-s, -t, -1.0f}, on[3];
        uint32_t index[2];
        switch (q->layer % 6u) {
        case 0u: v[0] = 1.0f, v[1] = -t, v[2] = -s; break;
        case 1u: v[0] = -1.0f, v[1] = -t, v[2] = s; break;
        case 2u: v[0] = s, v[1] = 1.0f, v[2] = t; break;
        case 3u: v[0] = s, v[1] = -1.0f, v[2] = -t; break;
        case 4u: v[0] = s, v[1] = -t, v[2] = 1.0f; break;
        default: break;
        }
        uint32_t face = texture_face(v, on);
        for (int i = 0; i < 2; i++) {
            index[i] = (uint32_t)texture_clamp(floorf((on[i] / on[2] + 1.0f) / 2.0f * (float)n), 0.0f, (float)(n - 1));
        }
        texture_texel(q, index[0], index[1], q->layer / 6u * 6u + face, level, bits);
        return;
    }
    const uint32_t *modes = q->sampler.wrap;
    int64_t x = texture_wrap(c->is_rectangle ? PLANISH_CLAMP : modes[0], at[0], size[0]);
    int64_t y = texture_wrap(c->is_rectangle ? PLANISH_CLAMP : modes[1], at[1], size[1]);
    int64_t z = c->axes == 3u ? texture_wrap(modes[2], at[2], size[2]) : (int64_t)q->layer;
    if (x >= 0 && y >= 0 && z >= 0) texture_texel(q, (uint32_t)x, (uint32_t)y, (uint32_t)z, level, bits);
}

/* A coordinate in texels; 0 for NaN, and for those that are too large to distinguish texels. */
static float texture_scaled(float at, uint32_t size) {
    float x = at * (float)size;
    return fabsf(x) < 1e9f ? x : 0.0f;
}

static void texture_nearest(const texture_query *q, uint32_t level, uint32_t bits[4]) {
    uint32_t size[3];
    int64_t at[3];
    texture_size(q, level, size);
    for (int i = 0; i < 3; i++) at[i] = (int64_t)floorf(texture_scaled(q->at[i], size[i])) + q->offset[i];
    texture_at(q, at, level, bits);
}

/* A texel as a colour, or the result of the comparison. */
static void texture_value(const texture_query *q, const uint32_t bits[4], float to[4]) {
    for (int i = 0; i < 4; i++) to[i] = f32_from_bits(bits[i]);
    if (q->call->operands[COMPARE][1] == 0u) return;
    float depth = texture_clamp(q->compare, 0.0f, 1.0f), texel = to[0];
    bool passes;
    switch (q->sampler.compare) {
    case PLANISH_LESS: passes = depth < texel; break;
    case PLANISH_GREATER: passes = depth > texel; break;
    case PLANISH_GREATER_EQUAL: passes = depth >= texel; break;
    case PLANISH_EQUAL: passes = depth == texel; break;
    case PLANISH_NOT_EQUAL: passes = depth != texel; break;
    case PLANISH_ALWAYS: passes = true; break;
    case PLANISH_NEVER: passes = false; break;
    default: passes = depth <= texel; break;
    }
    to[0] = passes ? 1.0f : 0.0f, to[1] = to[2] = 0.0f, to[3] = 1.0f;
}

static void texture_mix(float a[4], const float b[4], float weight) {
    for (int i = 0; i < 4; i++) a[i] = a[i] * (1.0f - weight) + b[i] * weight;
}

static void texture_filtered(const texture_query *q, uint32_t level, uint32_t filter, float to[4]) {
    uint32_t size[3], bits[4], planes = q->call->axes == 3u && !q->call->is_cube ? 2u : 1u, rows = q->call->axes == 1u ? 1u : 2u;
    int64_t low[3], at[3];
    float weight[3], plane[4], row[4], next[4];
    if (filter == PLANISH_NEAREST) {
        texture_nearest(q, level, bits);
        texture_value(q, bits, to);
        return;
    }
    texture_size(q, level, size);
    for (int i = 0; i < 3; i++) {
        float x = texture_scaled(q->at[i], size[i]) - 0.5f;
        low[i] = (int64_t)floorf(x) + q->offset[i];
        weight[i] = x - floorf(x);
    }
    /* (A texture with one axis has one row.) */
    for (uint32_t z = 0u; z < planes; z++) {
        for (uint32_t y = 0u; y < rows; y++) {
            at[0] = low[0], at[1] = low[1] + y, at[2] = low[2] + z;
            texture_at(q, at, level, bits);
            texture_value(q, bits, y == 0u ? plane : row);
            at[0]++;
            texture_at(q, at, level, bits);
            texture_value(q, bits, next);
            texture_mix(y == 0u ? plane : row, next, weight[0]);
        }
        if (rows == 2u) texture_mix(plane, row, weight[1]);
        if (z == 0u) memcpy(to, plane, sizeof plane);
    }
    if (planes == 2u) texture_mix(to, plane, weight[2]);
}

static void texture_sample(texture_query *q, uint32_t bits[4]) {
    uint32_t last = texture_levels(q->texture) - 1u, mipmap = q->sampler.mipmap;
    uint32_t filter = q->lod > 0.0f ? q->sampler.minify : q->sampler.magnify;
    float to[4], next[4];
    if (!q->call->is_float) {
        texture_nearest(q, mipmap != PLANISH_FIRST_LEVEL ? (uint32_t)texture_nearest_level(q->lod, last) : 0u, bits);
        return;
    }
    if (mipmap == PLANISH_FIRST_LEVEL || q->lod <= 0.0f || last == 0u) {
        texture_filtered(q, 0u, filter, to);
    } else if (mipmap == PLANISH_NEAREST) {
        texture_filtered(q, (uint32_t)texture_nearest_level(q->lod, last), filter, to);
    } else {
        float lod = fminf(q->lod, (float)last), low = floorf(lod);
        texture_filtered(q, (uint32_t)low, filter, to);
        if (lod - low != 0.0f) {
            texture_filtered(q, (uint32_t)low < last ? (uint32_t)low + 1u : last, filter, next);
            texture_mix(to, next, lod - low);
        }
    }
    for (int i = 0; i < 4; i++) bits[i] = f32_bits(to[i]);
}

/* One component of the four texels of a bilinear sample. */
static void texture_gather(const texture_query *q, const uint32_t *words, uint32_t lane, uint32_t found[4]) {
    static const int corners[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    const texture_call *c = q->call;
    uint32_t size[3];
    texture_size(q, 0u, size);
    for (uint32_t i = 0u; i < 4u; i++) {
        int64_t at[3] = {0, 0, 0};
        uint32_t bits[4];
        float value[4];
        for (uint32_t axis = 0u; axis < 2u; axis++) {
            at[axis] = (int64_t)floorf(texture_scaled(q->at[axis], size[axis]) - 0.5f);
            at[axis] += c->operands[OFFSETS][1] == 0u ? corners[i][axis] + (int64_t)q->offset[axis]
                                                      : (int32_t)texture_word(c, words, OFFSETS, 2u * i + axis, lane);
        }
        texture_at(q, at, 0u, bits);
        texture_value(q, bits, value);
        found[i] = c->operands[COMPARE][1] != 0u ? f32_bits(value[0]) : bits[c->component];
    }
}

/* The texel at integer coordinates; zeros outside. */
static void texture_fetch(const texture_query *q, const uint32_t *words, uint32_t lane, uint32_t bits[4]) {
    const texture_call *c = q->call;
    uint32_t level = texture_word(c, words, LOD, 0u, lane), at[3] = {0u, 0u, 0u};
    memset(bits, 0, 4u * sizeof *bits);
    if (level >= texture_levels(q->texture)) return;
    for (uint32_t i = 0u; i < c->axes; i++) at[i] = texture_word(c, words, COORDINATE, i, lane) + (uint32_t)q->offset[i];
    if (c->is_arrayed) at[2] = texture_word(c, words, COORDINATE, c->axes, lane);
    uint32_t size[3];
    texture_size(q, level, size);
    if (at[0] < size[0] && at[1] < size[1] && at[2] < size[2]) texture_texel(q, at[0], at[1], at[2], level, bits);
}

/* The pointer among the uniforms that a lane selects. */
static const void *texture_pointer(const void *uniforms, const texture_handle *handle, const uint32_t *column, uint32_t lane) {
    uint32_t number = handle->is_indexed ? column[lane] : 0u;
    const void *found;
    if (number >= handle->count) number = handle->count - 1u;
    memcpy(&found, (const uint8_t *)uniforms + handle->offset + number * sizeof found, sizeof found);
    return found;
}

/* The result of a lane. */
static void texture_lane(const texture_call *c, const void *uniforms, const uint32_t *words, uint32_t lane, uint32_t found[4]) {
    texture_query q;
    memset(&q, 0, sizeof q);
    memset(found, 0, 4u * sizeof *found);
    q.call = c;
    q.texture = texture_pointer(uniforms, &c->texture, words + c->lanes, lane);
    if (c->has_sampler) {
        const uint32_t *column = words + c->lanes * (c->texture.is_indexed ? 2u : 1u);
        const planish_sampler *sampler = texture_pointer(uniforms, &c->sampler, column, lane);
        if (sampler != NULL) q.sampler = *sampler;
    } else if (q.texture != NULL) {
        q.sampler = q.texture->sampler;
    }
    for (uint32_t i = 0u; i < 3u; i++) q.offset[i] = (int32_t)texture_word(c, words, OFFSET, i, lane);
    if (c->op == SAMPLE || c->op == QUERY_LOD || c->op == GATHER) {
        q.compare = texture_number(c, words, COMPARE, 0u, lane) / texture_coordinate(c, words, lane, q.coordinate);
        texture_place(&q);
    }
    if (c->op == SAMPLE || c->op == QUERY_LOD) q.lod = texture_lod(&q, words, lane);
    uint32_t size[3], last = texture_levels(q.texture) - 1u;
    float clamped = texture_clamp(q.lod, 0.0f, (float)last);
    switch (c->op) {
    case SAMPLE: texture_sample(&q, found); break;
    case GATHER: texture_gather(&q, words, lane, found); break;
    case FETCH: texture_fetch(&q, words, lane, found); break;
    case QUERY_LOD:
        if (q.sampler.mipmap == PLANISH_FIRST_LEVEL) clamped = 0.0f;
        if (q.sampler.mipmap == PLANISH_NEAREST) clamped = ceilf(clamped + 0.5f) - 1.0f;
        found[0] = f32_bits(fmaxf(clamped, 0.0f));
        found[1] = f32_bits(q.lod);
        break;
    case SIZE:
        texture_size(&q, texture_word(c, words, COORDINATE, 0u, lane), size);
        memcpy(found, size, sizeof size);
        if (c->is_arrayed) found[c->is_cube ? 2u : c->axes] = c->is_cube ? size[2] / 6u : size[2];
        break;
    case QUERY_LEVELS: found[0] = last + 1u; break;
    default: found[0] = 1u; break;
    }
}

/* Replaces the columns of operands by those of the results, in active lanes. */
static void texture_op(const texture_call *c, const void *uniforms, uint32_t *words) {
    uint32_t results[4][16] = {{0u}}, found[4];
    for (uint32_t lane = 0u; lane < c->lanes; lane++) {
        if (words[lane] == 0u) continue;
        texture_lane(c, uniforms, words, lane, found);
        for (uint32_t i = 0u; i < c->results; i++) results[i][lane] = found[i];
    }
    for (uint32_t i = 0u; i < c->results; i++) memcpy(words + i * c->lanes, results[i], c->lanes * sizeof *words);
}
