/* Runs the program of an AVR in simavr: avr_host PROCESSOR HERTZ PROGRAM, in a folder with its files.
   Registers that the processor does not have are files, cycles and the exit (avr.c). The bytes that it
   sends to its serial port go to the standard output. The exit code is the program's; 99 for a stack
   that reached the variables, or a crash.

   analog.bin, if there is one, is what a sketch reads: of each row millivolts at pins A0 to A3, and
   whether the switch at pin 2 is closed, five words of 16 bits. The program ends a tenth of a
   second behind the last, so that what it prints of it is out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <simavr/avr_adc.h>
#include <simavr/avr_ioport.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>

enum { OPEN = 0xe0, HAS_NEXT = 0xe1, NEXT = 0xe2, PUT = 0xe3, CYCLES = 0xe4, STACK = 0xe8,
       END = 0xea };
enum { PAINT = 0xa5, MARGIN = 4, FAULT = 99, CHANNELS = 4, NAME = 32, READ = 1 };

static FILE *taken, *written, *analog;
static int ended = -1;
static uint64_t last; /* the cycle at which the program of a sketch ends */
static uint32_t cycles, variables; /* where the variables of the program end */

/* Of a file come the mode, then the letters of its name, the last of which is 0. The program has one
   file to read and one to write: another one takes its place. */
static void open_file(struct avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    static char said[2 + NAME];
    static unsigned n;
    (void)avr, (void)address, (void)param;
    if (n < sizeof said)
        said[n++] = (char)value;
    if (n < 2 || value)
        return;
    const int reads = said[0] == READ;
    FILE **file = reads ? &taken : &written;
    if (*file)
        fclose(*file);
    *file = n < sizeof said ? fopen(said + 1, reads ? "rb" : "wb") : NULL;
    n = 0;
    if (!*file)
        ended = FAULT;
}

static uint8_t has_next(struct avr_t *avr, avr_io_addr_t address, void *param)
{
    (void)avr, (void)address, (void)param;
    const int next = taken ? fgetc(taken) : EOF;
    if (next != EOF)
        ungetc(next, taken);
    return next != EOF;
}

static uint8_t get_next(struct avr_t *avr, avr_io_addr_t address, void *param)
{
    (void)avr, (void)address, (void)param;
    return (uint8_t)fgetc(taken);
}

static void put(struct avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    (void)avr, (void)address, (void)param;
    fputc(value, written);
}

static uint8_t get_cycles(struct avr_t *avr, avr_io_addr_t address, void *param)
{
    (void)param;
    if (address == CYCLES)
        cycles = (uint32_t)avr->cycle;
    return (uint8_t)(cycles >> 8 * (address - CYCLES));
}

/* The stack begins at the end of RAM and was painted: bytes of it that were used. */
static uint32_t stack_used(const struct avr_t *avr)
{
    uint32_t at = variables;
    while (at <= avr->ramend && avr->data[at] == PAINT)
        at++;
    return avr->ramend + 1 - at;
}

static uint8_t get_stack(struct avr_t *avr, avr_io_addr_t address, void *param)
{
    (void)param;
    return (uint8_t)(stack_used(avr) >> 8 * (address - STACK));
}

static void end(struct avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    (void)avr, (void)address, (void)param;
    ended = value;
}

static void serial(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq, (void)param;
    putchar((int)value);
}

/* A conversion begins: the first pin's is that of the next row. */
static void convert(struct avr_irq_t *irq, uint32_t value, void *param)
{
    static uint16_t row[CHANNELS + 1];
    struct avr_t *avr = param;
    union {
        avr_adc_mux_t mux;
        uint32_t v;
    } asked = {.v = value};
    (void)irq;
    if (asked.mux.src == 0 && fread(row, sizeof row, 1, analog) != 1 && !last)
        last = avr->cycle + avr->frequency / 10;
    avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('D'), 2), !row[CHANNELS]);
    if (asked.mux.src < CHANNELS)
        avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_ADC_GETIRQ, asked.mux.src), row[asked.mux.src]);
}

int main(int argc, char **argv)
{
    elf_firmware_t program = {{0}};
    if (argc != 4 || elf_read_firmware(argv[3], &program))
        return 2;
    avr_t *avr = avr_make_mcu_by_name(argv[1]);
    if (!avr || avr_init(avr))
        return 2;
    program.frequency = (uint32_t)atol(argv[2]);
    avr_load_firmware(avr, &program);
    avr->vcc = avr->avcc = avr->aref = 5000;
    analog = fopen("analog.bin", "rb");
    if (analog)
        avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_OUT_TRIGGER),
                                convert, avr);
    avr_register_io_write(avr, OPEN, open_file, NULL);
    avr_register_io_read(avr, HAS_NEXT, has_next, NULL);
    avr_register_io_read(avr, NEXT, get_next, NULL);
    avr_register_io_write(avr, PUT, put, NULL);
    for (int i = 0; i < 4; i++)
        avr_register_io_read(avr, CYCLES + i, get_cycles, NULL);
    for (int i = 0; i < 2; i++)
        avr_register_io_read(avr, STACK + i, get_stack, NULL);
    avr_register_io_write(avr, END, end, NULL);
    uint32_t flags = 0;
    avr_ioctl(avr, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
    flags &= ~(uint32_t)(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), serial,
                            NULL);
    /* Variables are at the bottom of RAM, behind them nothing: the stack may grow down to them. */
    variables = 0x100 + program.datasize + program.bsssize;
    memset(avr->data + variables, PAINT, avr->ramend + 1 - variables);
    while (ended < 0) {
        const int state = avr_run(avr);
        if (state == cpu_Done || state == cpu_Crashed)
            ended = state == cpu_Done ? 0 : FAULT;
        if (last && avr->cycle > last)
            ended = 0;
    }
    if (stack_used(avr) + MARGIN > avr->ramend + 1 - variables)
        ended = FAULT;
    if (written)
        fclose(written);
    fflush(stdout);
    return ended;
}
