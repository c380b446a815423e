/* pickle.c - the few words of Python's pickle language that arrays and matrices need */
#include "formats/pickle.h"

#include <stdlib.h>
#include <string.h>

#define MARK SE_NONE                    /* on the stack, among the numbers of values */

static const struct {
    const char *module, *name;
    enum se_pickle_global is;
} known[] = {
    { "collections", "defaultdict", SE_PICKLE_DEFAULTDICT },
    { "__builtin__", "list", SE_PICKLE_LIST_CLASS },
    { "builtins", "list", SE_PICKLE_LIST_CLASS },
    { "numpy.core.multiarray", "_reconstruct", SE_PICKLE_RECONSTRUCT },
    { "numpy._core.multiarray", "_reconstruct", SE_PICKLE_RECONSTRUCT },
    { "numpy.core.numeric", "_frombuffer", SE_PICKLE_FROMBUFFER },       /* protocol 5 */
    { "numpy._core.numeric", "_frombuffer", SE_PICKLE_FROMBUFFER },
    { "_codecs", "encode", SE_PICKLE_ENCODE },  /* how Python 3 writes bytes in protocol 2 */
    { "numpy", "ndarray", SE_PICKLE_NDARRAY },
    { "numpy", "dtype", SE_PICKLE_DTYPE },
    { "scipy.sparse.csr", "csr_matrix", SE_PICKLE_CSR },
    { "scipy.sparse._csr", "csr_matrix", SE_PICKLE_CSR },
    { "scipy.sparse._csr", "csr_array", SE_PICKLE_CSR },
    { "scipy.sparse._arrays", "csr_array", SE_PICKLE_CSR },     /* SciPy 1.8 to 1.10 */
    { "scipy.sparse._arrays", "csc_array", SE_PICKLE_CSC },
    { "scipy.sparse._arrays", "coo_array", SE_PICKLE_COO },
    { "scipy.sparse.csc", "csc_matrix", SE_PICKLE_CSC },
    { "scipy.sparse._csc", "csc_matrix", SE_PICKLE_CSC },
    { "scipy.sparse._csc", "csc_array", SE_PICKLE_CSC },
    { "scipy.sparse.coo", "coo_matrix", SE_PICKLE_COO },
    { "scipy.sparse._coo", "coo_matrix", SE_PICKLE_COO },
    { "scipy.sparse._coo", "coo_array", SE_PICKLE_COO }
};

/* The machine that runs the opcodes. */
struct machine {
    struct se_pickle *p;
    const unsigned char *data;
    size_t len, at;             /* at: next byte */
    size_t op;                  /* where the opcode at work is */
    uint32_t *stack, *memo;
    size_t depth, stack_cap, memos, memo_cap;
    struct se_err *err;
};

static int fault(struct machine *m, const char *what)
{
    return se_fail(m->err, SE_EINPUT, "byte %zu: opcode 0x%02x: %s", m->op, m->data[m->op],
                   what);
}

static const unsigned char *take(struct machine *m, size_t len)
{
    const unsigned char *p = m->data + m->at;

    if (m->len - m->at < len) {
        fault(m, "the file is cut short");
        return NULL;
    }
    m->at += len;
    return p;
}

/* An operand of 1, 2 or 4 bytes. */
static int operand(struct machine *m, size_t len, uint32_t *value)
{
    const unsigned char *p = take(m, len);

    *value = 0;
    for (size_t i = len; p && i > 0; i--)
        *value = *value << 8 | p[i - 1];
    return p ? 0 : -1;
}

static int push(struct machine *m, uint32_t ref)
{
    if (se_grow(&m->stack, &m->stack_cap, (uint64_t)m->depth + 1, sizeof *m->stack, m->err) < 0)
        return -1;
    m->stack[m->depth++] = ref;
    return 0;
}

static int new_value(struct machine *m, struct se_pickle_value v, uint32_t *ref)
{
    struct se_pickle *p = m->p;

    if (p->count >= SE_NONE)
        return fault(m, "too many values");
    if (se_grow(&p->value, &p->cap, (uint64_t)p->count + 1, sizeof *p->value, m->err) < 0)
        return -1;
    *ref = (uint32_t)p->count++;
    p->value[*ref] = v;
    return 0;
}

static int push_value(struct machine *m, struct se_pickle_value v)
{
    uint32_t ref = SE_NONE;

    return new_value(m, v, &ref) < 0 ? -1 : push(m, ref);
}

static int push_number(struct machine *m, enum se_pickle_type type, int64_t number)
{
    return push_value(m, (struct se_pickle_value){ .type = type, .number = number });
}

/* The value `down` below the top of the stack, if there is one and it has this type. */
static struct se_pickle_value *peek(struct machine *m, size_t down, enum se_pickle_type type)
{
    struct se_pickle_value *v;

    if (m->depth <= down || m->stack[m->depth - 1 - down] == MARK)
        return NULL;
    v = &m->p->value[m->stack[m->depth - 1 - down]];
    return v->type == type ? v : NULL;
}

/* Room for more items.  The room is always a power of two, so its size need not be kept. */
static int add_items(struct machine *m, uint32_t container, const uint32_t *item, size_t count)
{
    struct se_pickle_value *v = &m->p->value[container];
    const uint64_t need = (uint64_t)v->count + count;
    uint64_t room = v->count ? 1 : 0;

    if (need >= SE_NONE)
        return fault(m, "too many items");
    while (room && room < v->count)
        room *= 2;
    if (need > room) {
        uint32_t *bigger;

        for (room = 1; room < need;)
            room *= 2;
        bigger = se_alloc(room, sizeof *bigger, m->err);
        if (!bigger)
            return -1;
        if (v->count)
            memcpy(bigger, v->item, v->count * sizeof *bigger);
        free(v->item);
        v->item = bigger;
    }
    memcpy(v->item + v->count, item, count * sizeof *item);
    v->count = (uint32_t)need;
    return 0;
}

/* Take `count` items off the stack and, if there is one, the mark below them; leave a tuple
 * of the items. */
static int make_tuple(struct machine *m, size_t count, size_t mark)
{
    uint32_t tuple = SE_NONE;

    if (m->depth < count)
        return fault(m, "the stack is empty");
    for (size_t i = m->depth - count; i < m->depth; i++)
        if (m->stack[i] == MARK)
            return fault(m, "a mark is in the way");
    if (new_value(m, (struct se_pickle_value){ .type = SE_PICKLE_TUPLE }, &tuple) < 0)
        return -1;
    if (count > 0 && add_items(m, tuple, m->stack + m->depth - count, count) < 0)
        return -1;
    m->depth -= count + mark;
    return push(m, tuple);
}

/* How many values lie above the last mark. */
static int above_mark(struct machine *m, size_t *count)
{
    *count = 0;
    while (*count < m->depth && m->stack[m->depth - 1 - *count] != MARK)
        ++*count;
    return *count < m->depth ? 0 : fault(m, "there is no mark");
}

/* Move `count` values from the top into the container below them and, if there is one, the
 * mark. */
static int append(struct machine *m, size_t count, size_t mark, enum se_pickle_type type)
{
    if (m->depth < count + mark)
        return fault(m, "the stack is empty");
    for (size_t i = m->depth - count; i < m->depth; i++)
        if (m->stack[i] == MARK)
            return fault(m, "a mark is in the way");
    if (type == SE_PICKLE_DICT && count % 2)
        return fault(m, "a key has no value");
    if (!peek(m, count + mark, type))
        return fault(m, type == SE_PICKLE_DICT ? "no dictionary to add to" : "no list to add to");
    if (count > 0 && add_items(m, m->stack[m->depth - 1 - count - mark],
                               m->stack + m->depth - count, count) < 0)
        return -1;
    m->depth -= count + mark;
    return 0;
}

static int append_marked(struct machine *m, enum se_pickle_type type)
{
    size_t count;

    return above_mark(m, &count) < 0 ? -1 : append(m, count, 1, type);
}

static int tuple_marked(struct machine *m)
{
    size_t count;

    return above_mark(m, &count) < 0 ? -1 : make_tuple(m, count, 1);
}

/* A line of text, as GLOBAL has two. */
static int take_line(struct machine *m, const char **text, size_t *len)
{
    const unsigned char *p = m->data + m->at;
    const unsigned char *end = memchr(p, '\n', m->len - m->at);

    if (!end)
        return fault(m, "the file is cut short");
    *text = (const char *)p;
    *len = (size_t)(end - p);
    m->at += *len + 1;
    return 0;
}

static bool same(const char *text, size_t len, const char *word)
{
    return strlen(word) == len && memcmp(text, word, len) == 0;
}

static int push_named(struct machine *m, const char *module, size_t module_len,
                      const char *name, size_t name_len)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (same(module, module_len, known[i].module) && same(name, name_len, known[i].name))
            return push_value(m, (struct se_pickle_value){ .type = SE_PICKLE_GLOBAL,
                                                           .count = known[i].is });
    return se_fail(m->err, SE_EINPUT, "byte %zu: opcode 0x%02x names %.*s %.*s; only arrays, "
                   "sparse matrices and dictionaries are read", m->op, m->data[m->op],
                   module_len < 60 ? (int)module_len : 60, module,
                   name_len < 60 ? (int)name_len : 60, name);
}

static int push_global(struct machine *m)
{
    const char *module = "", *name = "";
    size_t module_len = 0, name_len = 0;

    if (take_line(m, &module, &module_len) < 0 || take_line(m, &name, &name_len) < 0)
        return -1;
    return push_named(m, module, module_len, name, name_len);
}

/* The same with the two words on the stack. */
static int stack_global(struct machine *m)
{
    const struct se_pickle_value *module = peek(m, 1, SE_PICKLE_STRING);
    const struct se_pickle_value *name = peek(m, 0, SE_PICKLE_STRING);

    if (!module || !name)
        return fault(m, "no two words that name a class");
    m->depth -= 2;
    return push_named(m, module->text, module->count, name->text, name->count);
}

/* encode(text, "latin1"): each character of the UTF-8 is a byte. */
static int make_bytes(struct machine *m, uint32_t tuple)
{
    struct se_pickle *p = m->p;
    const struct se_pickle_value *args = &p->value[tuple];
    const struct se_pickle_value *text = args->count == 2 ? &p->value[args->item[0]] : NULL;
    struct se_pickle_value v = { .type = SE_PICKLE_STRING };
    char *out;

    if (!text || text->type != SE_PICKLE_STRING || p->value[args->item[1]].type != SE_PICKLE_STRING ||
        !same(p->value[args->item[1]].text, p->value[args->item[1]].count, "latin1"))
        return fault(m, "only text in latin1 is encoded");
    if (se_grow(&p->made, &p->made_cap, (uint64_t)p->mades + 1, sizeof *p->made, m->err) < 0 ||
        !(out = se_alloc((uint64_t)text->count + 1, 1, m->err)))
        return -1;
    p->made[p->mades++] = out;
    for (uint32_t i = 0; i < text->count; i++) {
        const unsigned char c = (unsigned char)text->text[i];
        const unsigned char next = i + 1 < text->count ? (unsigned char)text->text[i + 1] : 0;

        if (c >= 0x80 && ((c != 0xc2 && c != 0xc3) || (next & 0xc0) != 0x80))
            return fault(m, "text that is not latin1");
        out[v.count++] = (char)(c < 0x80 ? c : (c & 3) << 6 | (next & 0x3f));
        i += c >= 0x80;
    }
    v.text = out;
    m->depth -= 2;
    return push_value(m, v);
}

/* A global applied to a tuple: an object, still to be built, or an empty dictionary. */
static int make_object(struct machine *m)
{
    const struct se_pickle_value *what = peek(m, 1, SE_PICKLE_GLOBAL);
    struct se_pickle_value v = { .type = SE_PICKLE_OBJECT, .state = SE_NONE };

    if (!what || !peek(m, 0, SE_PICKLE_TUPLE))
        return fault(m, "no class with a tuple of arguments");
    v.args = m->stack[m->depth - 1];
    v.count = what->count;
    if (what->count == SE_PICKLE_ENCODE)
        return make_bytes(m, v.args);
    if (what->count == SE_PICKLE_DEFAULTDICT)
        v = (struct se_pickle_value){ .type = SE_PICKLE_DICT };
    else if (what->count == SE_PICKLE_LIST_CLASS || what->count == SE_PICKLE_NDARRAY)
        return fault(m, "this class is not made so");
    m->depth -= 2;
    return push_value(m, v);
}

static int build(struct machine *m)
{
    struct se_pickle_value *object = peek(m, 1, SE_PICKLE_OBJECT);

    if (!object || object->state != SE_NONE || m->stack[m->depth - 1] == MARK)
        return fault(m, "no new object to build");
    object->state = m->stack[--m->depth];
    return 0;
}

static int push_string(struct machine *m, size_t operand_len)
{
    const unsigned char *text;
    uint32_t len;

    if (operand(m, operand_len, &len) < 0)
        return -1;
    text = take(m, len);
    return !text ? -1 : push_value(m, (struct se_pickle_value){
        .type = SE_PICKLE_STRING, .count = len, .text = (const char *)text });
}

static int push_int(struct machine *m, size_t operand_len)
{
    uint32_t value;

    if (operand(m, operand_len, &value) < 0)
        return -1;
    return push_number(m, SE_PICKLE_INT, operand_len == 4 ? (int32_t)value : (int64_t)value);
}

/* A whole number of up to 8 bytes, the last of which has the sign. */
static int push_long(struct machine *m)
{
    const unsigned char *p;
    uint32_t len;
    uint64_t bits = 0;

    if (operand(m, 1, &len) < 0)
        return -1;
    if (len > 8)
        return fault(m, "a number of more than 64 bits");
    p = take(m, len);
    if (!p)
        return -1;
    for (uint32_t i = 0; i < len; i++)
        bits |= (uint64_t)p[i] << 8 * i;
    if (len > 0 && len < 8 && p[len - 1] >= 128)
        bits |= UINT64_MAX << 8 * len;
    return push_number(m, SE_PICKLE_INT, (int64_t)bits);
}

/* Strings whose length has 8 bytes. */
static int push_long_string(struct machine *m)
{
    const unsigned char *p = take(m, 8), *text;
    uint64_t len = 0;

    for (size_t i = 8; p && i > 0; i--)
        len = len << 8 | p[i - 1];
    if (p && len >= SE_NONE)
        return fault(m, "a string of 4 GiB or more");
    text = p ? take(m, len) : NULL;
    return !text ? -1 : push_value(m, (struct se_pickle_value){
        .type = SE_PICKLE_STRING, .count = (uint32_t)len, .text = (const char *)text });
}

/* Pickles number what they remember in order, two bytes at least for each, so that a number
 * beyond the bytes read is damage (and would cost memory). */
static int memo_set(struct machine *m, uint32_t i)
{
    if (i > m->at)
        return fault(m, "memo number is out of range");
    if (m->depth == 0 || m->stack[m->depth - 1] == MARK)
        return fault(m, "nothing to remember");
    if (se_grow(&m->memo, &m->memo_cap, (uint64_t)i + 1, sizeof *m->memo, m->err) < 0)
        return -1;
    while (m->memos <= i)
        m->memo[m->memos++] = SE_NONE;
    m->memo[i] = m->stack[m->depth - 1];
    return 0;
}

static int memo_put(struct machine *m, size_t operand_len)
{
    uint32_t i;

    return operand(m, operand_len, &i) < 0 ? -1 : memo_set(m, i);
}

static int memo_get(struct machine *m, size_t operand_len)
{
    uint32_t i;

    if (operand(m, operand_len, &i) < 0)
        return -1;
    if (i >= m->memos || m->memo[i] == SE_NONE)
        return fault(m, "nothing was remembered under this number");
    return push(m, m->memo[i]);
}

static int protocol(struct machine *m)
{
    uint32_t version;

    if (operand(m, 1, &version) < 0)
        return -1;
    return version >= 2 && version <= 5
               ? 0 : se_fail(m->err, SE_EINPUT, "byte %zu: pickle protocol %u is not read, only 2 "
                             "to 5", m->op, version);
}

static int step(struct machine *m)
{
    switch (m->data[m->op]) {
    case 0x80: return protocol(m);
    case 'c': return push_global(m);
    case 'q': return memo_put(m, 1);
    case 'r': return memo_put(m, 4);
    case 'h': return memo_get(m, 1);
    case 'j': return memo_get(m, 4);
    case '(': return push(m, MARK);
    case ')': return make_tuple(m, 0, 0);
    case 0x85: return make_tuple(m, 1, 0);
    case 0x86: return make_tuple(m, 2, 0);
    case 0x87: return make_tuple(m, 3, 0);
    case 't': return tuple_marked(m);
    case '}': return push_value(m, (struct se_pickle_value){ .type = SE_PICKLE_DICT });
    case ']': return push_value(m, (struct se_pickle_value){ .type = SE_PICKLE_LIST });
    case 'K': return push_int(m, 1);
    case 'M': return push_int(m, 2);
    case 'J': return push_int(m, 4);
    case 0x8a: return push_long(m);
    case 'U': case 'C': case 0x8c: return push_string(m, 1);
    case 'T': case 'B': case 'X': return push_string(m, 4);
    case 0x8d: case 0x8e: case 0x96: return push_long_string(m);
    case 0x93: return stack_global(m);
    case 0x94: return memo_set(m, (uint32_t)m->memos);
    case 0x95: return take(m, 8) ? 0 : -1;      /* a frame: only a hint for readers */
    case 'N': return push_number(m, SE_PICKLE_NONE, 0);
    case 0x88: return push_number(m, SE_PICKLE_BOOL, 1);
    case 0x89: return push_number(m, SE_PICKLE_BOOL, 0);
    case 'a': return append(m, 1, 0, SE_PICKLE_LIST);
    case 's': return append(m, 2, 0, SE_PICKLE_DICT);
    case 'e': return append_marked(m, SE_PICKLE_LIST);
    case 'u': return append_marked(m, SE_PICKLE_DICT);
    case 0x81: case 'R': return make_object(m);
    case 'b': return build(m);
    default: return fault(m, "not one that arrays and sparse matrices need; nothing else is read");
    }
}

static int run(struct machine *m)
{
    if (m->len > 0 && m->data[0] != 0x80)
        return se_fail(m->err, SE_EINPUT, "is no pickle of protocol 2 to 5; save it again with "
                       "pickle.dump(x, file, protocol=4)");
    while (m->at < m->len) {
        m->op = m->at++;
        if (m->data[m->op] != '.') {
            if (step(m) < 0)
                return -1;
            continue;
        }
        if (m->depth != 1 || m->stack[0] == MARK)
            return fault(m, "not one value is left at the end");
        if (m->at != m->len)
            return fault(m, "bytes follow the end");
        m->p->root = m->stack[0];
        return 0;
    }
    return se_fail(m->err, SE_EINPUT, "pickle is cut short");
}

int se_pickle_load(struct se_pickle *p, const void *data, size_t len, struct se_err *err)
{
    struct machine m = { .p = p, .data = data, .len = len, .err = err };
    int rc;

    *p = (struct se_pickle)SE_PICKLE_INIT;
    rc = run(&m);
    free(m.stack);
    free(m.memo);
    if (rc < 0)
        se_pickle_release(p);
    return rc;
}

void se_pickle_release(struct se_pickle *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->value[i].type == SE_PICKLE_TUPLE || p->value[i].type == SE_PICKLE_LIST ||
            p->value[i].type == SE_PICKLE_DICT)
            free(p->value[i].item);
    for (size_t i = 0; i < p->mades; i++)
        free(p->made[i]);
    free(p->made);
    free(p->value);
    *p = (struct se_pickle)SE_PICKLE_INIT;
}
