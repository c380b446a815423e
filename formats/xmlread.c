/* xmlread.c - XML, one tag after the other; nothing is ever expanded */
#include "formats/xmlread.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void se_xml_init(struct se_xml *x, const char *text, size_t len)
{
    *x = (struct se_xml){ .start = text, .at = text, .end = text + len };
}

void se_xml_release(struct se_xml *x)
{
    se_bytes_release(&x->attribute);
    se_bytes_release(&x->text);
}

int se_xml_fail(const struct se_xml *x, struct se_err *err, const char *what)
{
    unsigned long long line = 1;

    for (const char *p = x->start; p < x->at && p < x->end; p++)
        line += *p == '\n';
    return se_fail(err, SE_EINPUT, "line %llu: %s", line, what);
}

static int add_character(struct se_bytes *b, uint32_t c, struct se_err *err)
{
    unsigned char u[4];
    size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

    for (size_t i = len; i-- > 1; c >>= 6)
        u[i] = (unsigned char)(0x80 | (c & 0x3f));
    u[0] = (unsigned char)(len == 1 ? c : (0xf00u >> len & 0xff) | c);
    return se_bytes_add(b, u, len, err);
}

/* Replace the entity at p, of which `left` bytes are there; its length, or 0 if unknown. */
static size_t entity(const char *p, size_t left, uint32_t *c)
{
    static const struct { const char *name; char c; } known[] = {
        { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' }, { "&apos;", '\'' }
    };
    const char *end = memchr(p, ';', left < 12 ? left : 12);
    uint32_t value = 0;

    for (size_t i = 0; i < 5; i++)
        if (strlen(known[i].name) <= left &&
            memcmp(p, known[i].name, strlen(known[i].name)) == 0) {
            *c = (unsigned char)known[i].c;
            return strlen(known[i].name);
        }
    if (!end || left < 4 || p[1] != '#')
        return 0;
    const bool hex = p[2] == 'x' || p[2] == 'X';
    for (const char *d = p + 2 + hex; d < end; d++) {
        const int digit = *d >= '0' && *d <= '9' ? *d - '0' : hex && *d >= 'a' && *d <= 'f'
                          ? *d - 'a' + 10 : hex && *d >= 'A' && *d <= 'F' ? *d - 'A' + 10 : -1;

        if (digit < 0)
            return 0;
        value = value * (hex ? 16 : 10) + (uint32_t)digit;
        if (value > 0x10ffff)
            return 0;
    }
    *c = value;
    return value == 0 || (value >= 0xd800 && value < 0xe000) ? 0 : (size_t)(end - p) + 1;
}

static int add_text(struct se_xml *x, struct se_bytes *b, const char *p, const char *end,
                    struct se_err *err)
{
    while (p < end) {
        const char *amp = memchr(p, '&', (size_t)(end - p));
        uint32_t c = 0;
        size_t len;

        if (se_bytes_add(b, p, (size_t)((amp ? amp : end) - p), err) < 0)
            return -1;
        if (!amp)
            return 0;
        len = entity(amp, (size_t)(end - amp), &c);
        if (len == 0) {
            x->at = amp;
            return se_xml_fail(x, err, "an entity that is none of XML's own; entities are not "
                               "expanded");
        }
        if (add_character(b, c, err) < 0)
            return -1;
        p = amp + len;
    }
    return 0;
}

static bool starts(const struct se_xml *x, const char *word)
{
    return (size_t)(x->end - x->at) >= strlen(word) && memcmp(x->at, word, strlen(word)) == 0;
}

/* Move behind `word`, or fail. */
static int skip_to(struct se_xml *x, const char *word, struct se_err *err)
{
    const char *p = memmem(x->at, (size_t)(x->end - x->at), word, strlen(word));

    if (!p)
        return se_xml_fail(x, err, "the file is cut short");
    x->at = p + strlen(word);
    return 0;
}

/* What is neither tag nor text: 1 if something was passed over. */
static int skip_other(struct se_xml *x, struct se_err *err)
{
    const char *p;

    if (starts(x, "<!--"))
        return skip_to(x, "-->", err) < 0 ? -1 : 1;
    if (starts(x, "<?"))
        return skip_to(x, "?>", err) < 0 ? -1 : 1;
    if (starts(x, "<![CDATA[")) {
        p = x->at + 9;
        return skip_to(x, "]]>", err) < 0 ||
               se_bytes_add(&x->text, p, (size_t)(x->at - 3 - p), err) < 0 ? -1 : 1;
    }
    if (!starts(x, "<!"))
        return 0;
    for (p = x->at; p < x->end && *p != '>'; p++)
        if (*p == '[')
            return se_xml_fail(x, err, "a document type with declarations is not read");
    return skip_to(x, ">", err) < 0 ? -1 : 1;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blanks(struct se_xml *x)
{
    while (x->at < x->end && is_blank(*x->at))
        x->at++;
}

/* A name; its prefix is dropped.  Copied up to 63 bytes. */
static size_t take_name(struct se_xml *x, char name[64])
{
    const char *p = x->at, *colon;
    size_t len;

    while (x->at < x->end && *x->at && !is_blank(*x->at) && !strchr("=/>\"'<", *x->at))
        x->at++;
    colon = memrchr(p, ':', (size_t)(x->at - p));
    if (colon)
        p = colon + 1;
    len = (size_t)(x->at - p);
    if (len > 63)
        len = 63;
    memcpy(name, p, len);
    name[len] = '\0';
    return len;
}

static int take_attribute(struct se_xml *x, struct se_err *err)
{
    const char *p;
    char name[64], quote;

    if (take_name(x, name) == 0)
        return se_xml_fail(x, err, "a tag is damaged");
    skip_blanks(x);
    if (x->at == x->end || *x->at++ != '=')
        return se_xml_fail(x, err, "an attribute has no value");
    skip_blanks(x);
    if (x->at == x->end || (*x->at != '"' && *x->at != '\''))
        return se_xml_fail(x, err, "an attribute is not quoted");
    quote = *x->at++;
    p = x->at;
    x->at = memchr(p, quote, (size_t)(x->end - p));
    if (!x->at) {
        x->at = x->end;
        return se_xml_fail(x, err, "a quote does not end");
    }
    if (memchr(p, '\0', (size_t)(x->at - p)))
        return se_xml_fail(x, err, "holds a NUL");
    const char *behind = x->at + 1;
    if (se_bytes_add(&x->attribute, name, strlen(name) + 1, err) < 0 ||
        add_text(x, &x->attribute, p, x->at, err) < 0 ||
        se_bytes_add(&x->attribute, "", 1, err) < 0)
        return -1;
    x->at = behind;
    x->attributes++;
    return 0;
}

static enum se_xml_token take_tag(struct se_xml *x, struct se_err *err)
{
    bool close;

    x->at++;
    close = x->at < x->end && *x->at == '/';
    x->at += close;
    x->attribute.len = 0;
    x->attributes = 0;
    if (take_name(x, x->name) == 0) {
        se_xml_fail(x, err, "a tag has no name");
        return SE_XML_ERROR;
    }
    for (;;) {
        skip_blanks(x);
        if (x->at == x->end) {
            se_xml_fail(x, err, "a tag is cut short");
            return SE_XML_ERROR;
        }
        if (*x->at == '>')
            break;
        if (*x->at == '/' && x->end - x->at > 1 && x->at[1] == '>' && !close) {
            x->empty = true;
            x->at++;
            break;
        }
        if (close || take_attribute(x, err) < 0) {
            if (close)
                se_xml_fail(x, err, "a closing tag is damaged");
            return SE_XML_ERROR;
        }
    }
    x->at++;
    return close ? SE_XML_CLOSE : SE_XML_OPEN;
}

enum se_xml_token se_xml_next(struct se_xml *x, struct se_err *err)
{
    x->text.len = 0;
    if (x->empty) {
        x->empty = false;
        return SE_XML_CLOSE;
    }
    while (x->at < x->end) {
        const char *tag = memchr(x->at, '<', (size_t)(x->end - x->at)), *from = x->at;
        int other;

        if (add_text(x, &x->text, from, tag ? tag : x->end, err) < 0)
            return SE_XML_ERROR;
        x->at = tag ? tag : x->end;
        if (!tag)
            break;
        other = skip_other(x, err);
        if (other < 0)
            return SE_XML_ERROR;
        if (other == 0)
            return take_tag(x, err);
    }
    return SE_XML_END;
}

const char *se_xml_attribute(const struct se_xml *x, const char *name)
{
    const char *p = x->attribute.data;

    for (unsigned i = 0; i < x->attributes; i++) {
        const char *value = p + strlen(p) + 1;

        if (strcmp(p, name) == 0)
            return value;
        p = value + strlen(value) + 1;
    }
    return NULL;
}
