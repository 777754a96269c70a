/* The services of board.h on an AVR under simavr: registers that the processor does not have, which
   avr_host.c answers. Start-up code and linker script are the compiler's. */
#include <stdlib.h>

#include "board.h"

#define REGISTER(address) (*(volatile uint8_t *)(address))

/* The same addresses as in avr_host.c. */
enum { OPEN = 0xe0, HAS_NEXT = 0xe1, NEXT = 0xe2, PUT = 0xe3, CYCLES = 0xe4, STACK = 0xe8,
       END = 0xea };

void board_exit(int code)
{
    REGISTER(END) = (uint8_t)code;
    for (;;)
        ;
}

/* What main() returns to. */
void exit(int code)
{
    board_exit(code);
    __builtin_unreachable();
}

/* One file to read, one to write: the number is not needed. */
int board_open(const char *name, int mode)
{
    REGISTER(OPEN) = (uint8_t)mode;
    do
        REGISTER(OPEN) = (uint8_t)*name;
    while (*name++);
    return 1;
}

uint32_t board_read(int file, void *to, uint32_t bytes)
{
    uint8_t *at = to;
    uint32_t n = 0;
    (void)file;
    for (; n < bytes && REGISTER(HAS_NEXT); n++)
        *at++ = REGISTER(NEXT);
    return n;
}

uint32_t board_write(int file, const void *from, uint32_t bytes)
{
    const uint8_t *at = from;
    (void)file;
    for (uint32_t n = 0; n < bytes; n++)
        REGISTER(PUT) = *at++;
    return bytes;
}

/* The first byte that is read keeps the others. */
static uint32_t read_bytes(uint16_t address, int bytes)
{
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint32_t)REGISTER(address + i) << (8 * i);
    return value;
}

uint32_t board_stack_used(void)
{
    return read_bytes(STACK, 2);
}

uint32_t board_ticks(void)
{
    return read_bytes(CYCLES, 4) & 0xffffffu;
}

/* Ticks are cycles, which take the place of instructions here. */
void board_calibrate(uint64_t *of)
{
    of[0] = of[1] = 1;
}

/* A double of 64 bits as one of 32: its value if it is a float. */
double board_number(const uint8_t *bytes)
{
    uint32_t high, low, bits;
    double value;
    __builtin_memcpy(&low, bytes, 4);
    __builtin_memcpy(&high, bytes + 4, 4);
    bits = high & 0x80000000u;
    if (high << 1)
        bits |= ((high >> 20 & 0x7ff) - 1023 + 127) << 23 | (high & 0xfffff) << 3 | low >> 29;
    __builtin_memcpy(&value, &bits, 4);
    return value;
}

/* The other way, for 0 and normal numbers. */
void board_put_number(double value, uint8_t *bytes)
{
    uint32_t bits, low, high;
    __builtin_memcpy(&bits, &value, 4);
    low = bits << 29;
    high = bits & 0x80000000u;
    if (bits << 1)
        high |= ((bits >> 23 & 0xff) - 127 + 1023) << 20 | (bits & 0x7fffff) >> 3;
    __builtin_memcpy(bytes, &low, 4);
    __builtin_memcpy(bytes + 4, &high, 4);
}
