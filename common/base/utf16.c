/* utf16.c - text of programs that write two bytes for each character */
#include "common/base/utf16.h"

bool se_utf16_is(const char *text, size_t len)
{
    return len >= 2 && (((unsigned char)text[0] == 0xff && (unsigned char)text[1] == 0xfe) ||
                        ((unsigned char)text[0] == 0xfe && (unsigned char)text[1] == 0xff));
}

size_t se_utf8_put(uint32_t c, char out[4])
{
    const size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint32_t mark[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

    for (size_t i = len; i > 1; i--, c >>= 6)
        out[i - 1] = (char)(0x80 | (c & 63));
    out[0] = (char)(mark[len] | c);
    return len;
}

bool se_utf8_is(const char *text, size_t len)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + len;

    while (p < end) {
        const unsigned char first = *p++;
        int more = first < 0x80 ? 0 : first < 0xc2 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2
                   : first < 0xf5 ? 3 : -1;

        if (more < 0 || end - p < more)
            return false;
        for (; more > 0; more--)
            if (*p++ >> 6 != 2)
                return false;
    }
    return true;
}

int se_utf16_to_utf8(struct se_bytes *text, struct se_err *err)
{
    const unsigned char *p = (const unsigned char *)text->data, *end = p + (text->len & ~(size_t)1);
    const int high = *p == 0xfe ? 0 : 1;
    struct se_bytes out = SE_BYTES_INIT;
    char b[4];

    for (p += 2; p < end; p += 2) {
        uint32_t c = (uint32_t)p[high] << 8 | p[!high];

        if (c >= 0xd800 && c < 0xe000) {
            const uint32_t low = end - p > 3 ? (uint32_t)p[2 + high] << 8 | p[2 + !high] : 0;

            if (c < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
                c = 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
                p += 2;
            } else {
                c = 0xfffd;
            }
        }
        if (se_bytes_add(&out, b, se_utf8_put(c, b), err) < 0) {
            se_bytes_release(&out);
            return -1;
        }
    }
    if (se_bytes_add(&out, "", 1, err) < 0) {
        se_bytes_release(&out);
        return -1;
    }
    out.len--;                                  /* as every buffer has it: a NUL behind the end */
    se_bytes_release(text);
    *text = out;
    return 0;
}
