/* From reset to main(), and semihosting calls for files and the exit: no board support needed.

   The stack is at the bottom of RAM: an overflow leaves RAM and faults at once, instead of
   overwriting data. It is painted, so that its use can be measured afterwards. */
#include "board.h"

extern uint32_t stack_bottom[], stack_top[], data_from[], data_start[], data_end[], bss_start[],
    bss_end[];

int main(void);
void reset(void);
void fault(void);

#define PAINT 0xa5a5a5a5u

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

/* With a fresh stack: the old one may have caused the fault. */
__attribute__((naked)) void fault(void)
{
    __asm__ volatile("ldr r0, =stack_top\n mov sp, r0\n movs r0, #99\n ldr r1, =board_exit\n"
                     "bx r1\n.ltorg\n");
}

__attribute__((noreturn, used)) void begin(void)
{
    for (uint32_t *from = data_from, *to = data_start; to < data_end;)
        *to++ = *from++;
    for (uint32_t *to = bss_start; to < bss_end;)
        *to++ = 0;
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
