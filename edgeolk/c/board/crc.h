/* zlib's CRC-32, with a table of 16 words. */
#ifndef EDGEOLK_CRC_H
#define EDGEOLK_CRC_H

#include <stddef.h>
#include <stdint.h>

#include "edgeolk/port.h"

/* One word per value of half a byte. */
OLK_TABLE uint32_t olk_crc_table[16] = {
    0x00000000u, 0x1db71064u, 0x3b6e20c8u, 0x26d930acu, 0x76dc4190u, 0x6b6b51f4u,
    0x4db26158u, 0x5005713cu, 0xedb88320u, 0xf00f9344u, 0xd6d6a3e8u, 0xcb61b38cu,
    0x9b64c2b0u, 0x86d3d2d4u, 0xa00ae278u, 0xbdbdf21cu,
};

/* Extends checksum `crc` by `bytes` bytes; it begins at 0. */
static inline uint32_t ek_crc32(uint32_t crc, const void *data, size_t bytes)
{
    const uint8_t *at = (const uint8_t *)data;
    crc = ~crc;
    for (size_t i = 0; i < bytes; i++) {
        crc = olk_crc_table[(crc ^ at[i]) & 15u] ^ crc >> 4;
        crc = olk_crc_table[(crc ^ (uint32_t)at[i] >> 4) & 15u] ^ crc >> 4;
    }
    return ~crc;
}

#endif
