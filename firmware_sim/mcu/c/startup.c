/* From reset to main() on an Arm Cortex-M: no board support needed. */
#include "semihosting.h"

void reset(void);
void fault(void);

/* The processor reads the first two words of the vector table at reset. */
typedef union {
    void *address;
    void (*handler)(void);
} vector;
extern const vector vectors[16];
const vector vectors[16] __attribute__((section(".vectors"), used)) = {
    {.address = stack_top}, {.handler = reset}, {.handler = fault}, {.handler = fault},
    {.handler = fault},     {.handler = fault}, {.handler = fault},
};

int board_call(int operation, const void *argument)
{
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

uint32_t board_ticks(void)
{
    return 0xffffffu - *(volatile uint32_t *)0xe000e018u;
}

/* A loop of two instructions. */
void board_calibrate(uint64_t *of)
{
    uint32_t n = 1000000;
    const uint32_t from = board_ticks();
    __asm__ volatile("1: subs %0, #1\n bne 1b\n" : "+l"(n) : : "cc");
    of[0] = 2000000;
    of[1] = (board_ticks() - from) & 0xffffffu;
}

/* With a fresh stack: the old one may have caused the fault. */
__attribute__((naked)) void fault(void)
{
    __asm__ volatile("ldr r0, =stack_top\n mov sp, r0\n movs r0, #99\n ldr r1, =board_exit\n"
                     "bx r1\n.ltorg\n");
}

__attribute__((noreturn, used)) void begin(void)
{
    set_variables();
    /* The system timer counts down from its maximum, at the processor's clock. */
    *(volatile uint32_t *)0xe000e014u = 0xffffffu;
    *(volatile uint32_t *)0xe000e018u = 0;
    *(volatile uint32_t *)0xe000e010u = 5u;
    board_exit(main());
    for (;;)
        ;
}

/* Before anything is on the stack: enables the floating-point unit and paints the stack. */
__attribute__((naked)) void reset(void)
{
    __asm__ volatile(
#ifdef BOARD_FPU
        "ldr r0, =0xe000ed88\n ldr r1, [r0]\n ldr r2, =0x00f00000\n orr r1, r2\n"
        "str r1, [r0]\n dsb\n isb\n"
#endif
        "ldr r0, =stack_bottom\n ldr r1, =stack_top\n ldr r2, =0xa5a5a5a5\n"
        "1: str r2, [r0]\n adds r0, #4\n cmp r0, r1\n blo 1b\n"
        "ldr r0, =begin\n bx r0\n"
        ".ltorg\n");
}
