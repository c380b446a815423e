/* amount.c - numbers as people write them: 1,200.50, 1.200,50, $3, 12 %
 *
 * A thousands separator counts only between groups of three digits, so "1,5" is no number with
 * a decimal point, and "1.5" none with a decimal comma. */
#include <string.h>

#include "formats/internal.h"

/* Currency signs and blanks in front; blanks, currency signs and a percent sign behind. */
static size_t skip_sign(const char *p)
{
    static const char *const sign[] = { "$", "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5", "\xc2\xa0",
                                        " ", "EUR", "USD", "GBP", "CHF", NULL };

    for (int i = 0; sign[i]; i++)
        if (strncmp(p, sign[i], strlen(sign[i])) == 0)
            return strlen(sign[i]);
    return 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Is the separator at p between groups of three digits?  `digits`: how many are before it. */
static bool groups(const char *p, int digits, bool first)
{
    return (first ? digits >= 1 && digits <= 3 : digits == 3) && is_digit(p[1]) &&
           is_digit(p[2]) && is_digit(p[3]) && !is_digit(p[4]);
}

bool se_amount(const char *cell, enum se_decimal decimal, double *value)
{
    const char point = decimal == SE_DECIMAL_COMMA ? ',' : '.';
    const char thousands = decimal == SE_DECIMAL_COMMA ? '.' : ',';
    char plain[64];
    size_t len = 0, skip;
    int digits = 0;
    bool first = true, fraction = false;

    if (*cell == '-' || *cell == '+')
        plain[len++] = *cell++;
    while ((skip = skip_sign(cell)))
        cell += skip;
    if (len == 0 && (*cell == '-' || *cell == '+'))
        plain[len++] = *cell++;
    for (; *cell && len < sizeof plain - 1; cell++) {
        if (!fraction && *cell == thousands && groups(cell, digits, first)) {
            first = false;
            digits = 0;
            continue;
        }
        if (!is_digit(*cell) && *cell != point && !strchr("eE+-", *cell))
            break;
        fraction |= *cell == point || *cell == 'e' || *cell == 'E';
        digits += is_digit(*cell);
        plain[len++] = *cell == point ? '.' : *cell;
    }
    plain[len] = '\0';
    while ((skip = *cell == '%' ? 1 : skip_sign(cell)))
        cell += skip;
    return *cell == '\0' && se_whole_number(plain, value);
}

bool se_weight(const char *cell, enum se_decimal decimal, char separator, double *value,
               bool *comma)
{
    const char *p = strchr(cell, ',');

    if (decimal != SE_DECIMAL_AUTO || !p || separator == ',' || strchr(p + 1, ',') ||
        strchr(cell, '.'))
        return se_amount(cell, decimal, value);
    *comma = se_amount(cell, SE_DECIMAL_COMMA, value);
    return *comma;
}
