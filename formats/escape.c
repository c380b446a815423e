/* escape.c - text of a stream between other people's quotes */
#include "formats/escape.h"

/* The bytes of the character at s, or 0 if it is none that XML and Graphviz would take. */
static size_t character(const unsigned char *s, size_t len)
{
    const size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3
                   : s[0] < 0xf5 ? 4 : 0;
    uint32_t code = n < 2 ? s[0] : s[0] & (0x7fu >> n);

    if (n == 0 || n > len)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3f);
    }
    if (code < 0x20 || (code >= 0x7f && code < 0xa0))           /* control characters */
        return 0;
    if ((n == 3 && code < 0x800) || (n == 4 && code < 0x10000) || code > 0x10ffff)
        return 0;
    if ((code >= 0xd800 && code < 0xe000) || (code & 0xfffe) == 0xfffe)
        return 0;
    return n;
}

void se_out_escaped(struct se_out *out, const char *s, size_t len,
                    const struct se_escape *table)
{
    for (size_t i = 0; i < len; ) {
        const struct se_escape *e = table;
        const size_t n = character((const unsigned char *)s + i, len - i);

        while (e->c && e->c != s[i])
            e++;
        if (e->c)
            se_out_str(out, e->as);
        else if (n == 0)
            se_out_str(out, "\xef\xbf\xbd");
        else
            se_out_bytes(out, s + i, n);
        i += n ? n : 1;
    }
}
