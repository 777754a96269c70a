/* The services of a board (startup.c, riscv.c, avr.c): files of the host, a timer, stack use, exit. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

enum { BOARD_READ = 1, BOARD_WRITE = 5 }; /* binary files */

int board_call(int operation, const void *argument);
int board_open(const char *name, int mode);
uint32_t board_read(int file, void *to, uint32_t bytes);
uint32_t board_write(int file, const void *from, uint32_t bytes);
uint32_t board_stack_used(void);
uint32_t board_ticks(void);         /* modulo 2^24 */
void board_calibrate(uint64_t *of); /* instructions, and the ticks that they took */
double board_number(const uint8_t *bytes); /* of a double of 64 bits */
void board_put_number(double value, uint8_t *bytes);
void board_exit(int code);

#endif
