/* The block in the arena: offsets of its parts, and its form as a file. */
#ifndef EDGEOLK_BLOCK_H
#define EDGEOLK_BLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "crc.h"
#include "model.h"

/* Bytes of the model as it was exported, which an AVR has in an address space of its own. */
#ifdef __AVR__
#include <avr/pgmspace.h>
#define EK_COPY_MODEL memcpy_P
#define EK_COMPARE_MODEL memcmp_P
#define EK_HEADER_BYTE(i) pgm_read_byte(ek_model_header + (i))
#else
#define EK_COPY_MODEL memcpy
#define EK_COMPARE_MODEL memcmp
#define EK_HEADER_BYTE(i) (ek_model_header[i])
#endif

/* Offsets in the header, as the model file has them. */
enum {
    EK_AT_CRC = 8,
    EK_AT_VECTORS = 52,
    EK_AT_VALUES = 88
};

/* Where the block begins: at the first multiple of EK_BOUNDARY in the arena. */
static inline uint8_t *ek_base(void *arena)
{
    const uintptr_t start = (uintptr_t)arena;
    return (uint8_t *)arena + (size_t)((EK_BOUNDARY - start % EK_BOUNDARY) % EK_BOUNDARY);
}

/* A region; NULL if the model does not have it: its offset is then 0. */
static inline void *ek_at(uint8_t *base, size_t offset)
{
    return offset ? base + offset : NULL;
}

/* The checksum of a file, with its own four bytes taken as 0. */
static inline uint32_t ek_file_crc(const uint8_t *file)
{
    static const uint8_t zeros[4] = {0, 0, 0, 0};
    uint32_t crc = ek_crc32(0, file, EK_AT_CRC);
    crc = ek_crc32(crc, zeros, sizeof zeros);
    return ek_crc32(crc, file + EK_AT_CRC + 4, EK_STATE_BYTES - EK_AT_CRC - 4);
}

/* Whether a header has this configuration and layout, and no flag that differs; CRC-32 and bytes 52
   to 87 (counters, generator) are ignored. */
static inline int ek_same_model(const uint8_t *header)
{
    return EK_COMPARE_MODEL(header, ek_model_header, EK_AT_CRC) == 0 &&
           EK_COMPARE_MODEL(header + EK_AT_CRC + 4, ek_model_header + EK_AT_CRC + 4,
                            EK_AT_VECTORS - EK_AT_CRC - 4) == 0 &&
           EK_COMPARE_MODEL(header + EK_AT_VALUES, ek_model_header + EK_AT_VALUES,
                            EK_HEADER_BYTES - EK_AT_VALUES) == 0;
}

#endif
