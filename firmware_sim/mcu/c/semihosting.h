/* What start-up code shares on every processor whose emulator has semihosting, included by it once:
   files of the host and the exit by board_call(), the painted stack, the first values of variables.

   The stack is at the bottom of RAM: an overflow leaves RAM and faults at once, instead of
   overwriting data. It is painted, so that its use can be measured afterwards. */
#ifndef SEMIHOSTING_H
#define SEMIHOSTING_H

#include "board.h"

extern uint32_t stack_bottom[], stack_top[], data_from[], data_start[], data_end[], bss_start[],
    bss_end[];

int main(void);

#define PAINT 0xa5a5a5a5u /* also in reset() */

void board_exit(int code)
{
    const uint32_t why[2] = {0x20026, (uint32_t)code};
    (void)board_call(0x20, why);
    for (;;)
        ;
}

int board_open(const char *name, int mode)
{
    uint32_t length = 0;
    while (name[length])
        length++;
    const uint32_t what[3] = {(uint32_t)(uintptr_t)name, (uint32_t)mode, length};
    return board_call(0x01, what);
}

uint32_t board_read(int file, void *to, uint32_t bytes)
{
    const uint32_t what[3] = {(uint32_t)file, (uint32_t)(uintptr_t)to, bytes};
    return bytes - (uint32_t)board_call(0x06, what);
}

uint32_t board_write(int file, const void *from, uint32_t bytes)
{
    const uint32_t what[3] = {(uint32_t)file, (uint32_t)(uintptr_t)from, bytes};
    return bytes - (uint32_t)board_call(0x05, what);
}

uint32_t board_stack_used(void)
{
    const uint32_t *at = stack_bottom;
    while (at < stack_top && *at == PAINT)
        at++;
    return (uint32_t)((uintptr_t)stack_top - (uintptr_t)at);
}

double board_number(const uint8_t *bytes)
{
    double value;
    __builtin_memcpy(&value, bytes, sizeof value);
    return value;
}

void board_put_number(double value, uint8_t *bytes)
{
    __builtin_memcpy(bytes, &value, sizeof value);
}

static void set_variables(void)
{
    for (uint32_t *from = data_from, *to = data_start; to < data_end;)
        *to++ = *from++;
    for (uint32_t *to = bss_start; to < bss_end;)
        *to++ = 0;
}

#endif
