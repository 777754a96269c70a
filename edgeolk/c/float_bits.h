/* The bits of a float as a number, and back. */
#pragma once

#include <stdint.h>
#include <string.h>

#include "port.h"

static inline uint32_t olk_bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float olk_float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2^n for a normal number. */
static OLK_SHORT float olk_two(int32_t n)
{
    return olk_float_of((uint32_t)(n + 127) << 23);
}
