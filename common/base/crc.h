/* crc.h - CRC-32 as in zlib, with carry-less multiplication if the CPU has it */
#ifndef SE_CRC_H
#define SE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Continue `crc` (0 at the start) over `len` bytes; the same as zlib's crc32(). */
uint32_t se_crc32(uint32_t crc, const void *data, size_t len);

#endif
