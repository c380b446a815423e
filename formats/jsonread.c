/* jsonread.c - JSON, one token after the other; levels are bits, not calls */
#include "formats/jsonread.h"

#include <stdbool.h>
#include <string.h>

enum { LEVELS = 64 };
enum expect {                   /* what may come next */
    VALUE, VALUE_OR_END, KEY, KEY_OR_END, COMMA_OR_END, NOTHING
};

static enum se_json_token fault(const struct se_json *j, struct se_err *err, const char *what)
{
    se_fail(err, SE_EINPUT, "byte %zu: %s", (size_t)(j->at - j->start), what);
    return SE_JSON_ERROR;
}

static void skip_blanks(struct se_json *j)
{
    while (*j->at == ' ' || *j->at == '\n' || *j->at == '\t' || *j->at == '\r')
        j->at++;
}

void se_json_init(struct se_json *j, const char *text, size_t len)
{
    *j = (struct se_json){ .start = text, .at = text, .end = text + len, .expect = VALUE };
}

static bool in_object(const struct se_json *j)
{
    return j->depth > 0 && j->objects >> (j->depth - 1) & 1;
}

static void value_done(struct se_json *j)
{
    j->expect = j->depth > 0 ? COMMA_OR_END : NOTHING;
}

static enum se_json_token open_level(struct se_json *j, bool object, struct se_err *err)
{
    if (j->depth == LEVELS)
        return fault(j, err, "nested too deeply");
    j->at++;
    j->objects &= ~(UINT64_C(1) << j->depth);
    j->objects |= (uint64_t)object << j->depth;
    j->depth++;
    j->expect = object ? KEY_OR_END : VALUE_OR_END;
    return object ? SE_JSON_OBJECT : SE_JSON_ARRAY;
}

static enum se_json_token close_level(struct se_json *j)
{
    const bool object = in_object(j);

    j->at++;
    j->depth--;
    value_done(j);
    return object ? SE_JSON_OBJECT_END : SE_JSON_ARRAY_END;
}

/* From the quote on; escapes are stepped over. */
static bool read_string(struct se_json *j)
{
    const char *p = j->at + 1;

    while (p < j->end && *p != '"' && (unsigned char)*p >= 0x20)
        p += *p == '\\' && p[1] != '\0' ? 2 : 1;
    if (p >= j->end || *p != '"')
        return false;
    j->text = j->at + 1;
    j->len = (size_t)(p - j->text);
    j->at = p + 1;
    return true;
}

static const char *skip_digits(const char *p)
{
    while (*p >= '0' && *p <= '9')
        p++;
    return p;
}

static bool read_number(struct se_json *j)
{
    const char *p = j->at + (*j->at == '-');
    const char *digits = p;

    p = skip_digits(p);
    if (p == digits)
        return false;
    if (*p == '.') {
        digits = p + 1;
        p = skip_digits(digits);
        if (p == digits)
            return false;
    }
    if (*p == 'e' || *p == 'E') {
        digits = p + 1 + (p[1] == '-' || p[1] == '+');
        p = skip_digits(digits);
        if (p == digits)
            return false;
    }
    j->text = j->at;
    j->len = (size_t)(p - j->at);
    j->at = p;
    return true;
}

static bool read_word(struct se_json *j, const char *word)
{
    const size_t len = strlen(word);

    if (strncmp(j->at, word, len) != 0)
        return false;
    j->at += len;
    return true;
}

static enum se_json_token read_value(struct se_json *j, struct se_err *err)
{
    enum se_json_token token;

    if (*j->at == '{' || *j->at == '[')
        return open_level(j, *j->at == '{', err);
    if (*j->at == '"' && read_string(j))
        token = SE_JSON_STRING;
    else if (*j->at != '"' && read_number(j))
        token = SE_JSON_NUMBER;
    else if (read_word(j, "true"))
        token = SE_JSON_TRUE;
    else if (read_word(j, "false"))
        token = SE_JSON_FALSE;
    else if (read_word(j, "null"))
        token = SE_JSON_NULL;
    else
        return fault(j, err, j->at == j->end ? "the text is cut short" : "no JSON value");
    value_done(j);
    return token;
}

static enum se_json_token read_key(struct se_json *j, struct se_err *err)
{
    if (*j->at != '"' || !read_string(j))
        return fault(j, err, "a key was expected");
    skip_blanks(j);
    if (*j->at != ':')
        return fault(j, err, "a colon was expected");
    j->at++;
    j->expect = VALUE;
    return SE_JSON_KEY;
}

enum se_json_token se_json_next(struct se_json *j, struct se_err *err)
{
    skip_blanks(j);
    if (j->expect == NOTHING)
        return j->at == j->end ? SE_JSON_END : fault(j, err, "text behind the end");
    if (j->expect == COMMA_OR_END && *j->at == ',') {
        j->at++;
        j->expect = in_object(j) ? KEY : VALUE;
        skip_blanks(j);
    } else if (j->expect == COMMA_OR_END || j->expect == KEY_OR_END ||
               j->expect == VALUE_OR_END) {
        if (*j->at == (in_object(j) ? '}' : ']'))
            return close_level(j);
        if (j->expect == COMMA_OR_END)
            return fault(j, err, j->at == j->end ? "the text is cut short"
                                                 : "a comma was expected");
    }
    return j->expect == KEY || j->expect == KEY_OR_END ? read_key(j, err) : read_value(j, err);
}
