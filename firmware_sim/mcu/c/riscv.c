/* From reset to main() on a bare RISC-V without an operating system. */
#include "semihosting.h"

void begin(void);

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

static void fault(void)
{
    board_exit(99);
}

__attribute__((noreturn, used)) void begin(void)
{
    set_variables();
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
