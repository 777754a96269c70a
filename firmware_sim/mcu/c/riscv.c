/* From reset to main() on a bare RISC-V without an operating system, and semihosting calls for files
   and the exit. The stack is at the bottom of RAM, and painted, as in startup.c. */
#include "board.h"

extern uint32_t stack_bottom[], stack_top[], data_from[], data_start[], data_end[], bss_start[],
    bss_end[];

int main(void);
void begin(void);

#define PAINT 0xa5a5a5a5u

/* The three instructions around the call are not compressed, and in one page: the host knows them. */
int board_call(int operation, const void *argument)
{
    register int a0 __asm__("a0") = operation;
    register const void *a1 __asm__("a1") = argument;
    __asm__ volatile(".option push\n.option norvc\n.balign 16\n"
                     "slli zero, zero, 0x1f\n ebreak\n srai zero, zero, 7\n.option pop\n"
                     : "+r"(a0) : "r"(a1) : "memory");
    return a0;
}

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

/* The counter of instructions, without which the processor would have to be asked for time. */
uint32_t board_ticks(void)
{
    uint32_t n;
    __asm__ volatile("csrr %0, minstret" : "=r"(n));
    return n & 0xffffffu;
}

void board_calibrate(uint64_t *of)
{
    of[0] = of[1] = 1;
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

static void fault(void)
{
    board_exit(99);
}

__attribute__((noreturn, used)) void begin(void)
{
    for (uint32_t *from = data_from, *to = data_start; to < data_end;)
        *to++ = *from++;
    for (uint32_t *to = bss_start; to < bss_end;)
        *to++ = 0;
    board_exit(main());
    for (;;)
        ;
}

/* A trap may come from a full stack: it continues on a fresh one. */
__attribute__((naked, aligned(4))) static void trapped(void)
{
    __asm__ volatile("la sp, stack_top\n tail %0\n" : : "i"(fault));
}

__attribute__((naked, section(".vectors"))) void reset(void)
{
    __asm__ volatile(".option push\n.option norelax\n la gp, __global_pointer$\n.option pop\n"
                     "la t0, %0\n csrw mtvec, t0\n"
                     "la t0, stack_bottom\n la t1, stack_top\n li t2, 0xa5a5a5a5\n"
                     "1: sw t2, 0(t0)\n addi t0, t0, 4\n bltu t0, t1, 1b\n"
                     "la sp, stack_top\n tail %1\n" : : "i"(trapped), "i"(begin));
}
