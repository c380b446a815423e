/* crc.h - CRC-32, zlib's */
#ifndef SE_CRC_H
#define SE_CRC_H

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

/* Continue `crc` (0 at the start) over `len` bytes. */
static inline uint32_t se_crc32(uint32_t crc, const void *data, size_t len)
{
    return (uint32_t)crc32_z(crc, data, len);
}

#endif
