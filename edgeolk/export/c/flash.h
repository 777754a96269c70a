/* Checkpoints in flash memory that a power cut cannot lose: two slots, written in turn, in the format
   of edgeolk.Checkpointer. A slot is never written while it is the newest one that is whole. */
#ifndef EDGEOLK_FLASH_H
#define EDGEOLK_FLASH_H

#include "edgeolk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that are programmed at once, a power of two. Each unit is programmed once between two
   erasures; where a unit has more than 32 bytes, the first of a slot is programmed a second time,
   with 0xff where nothing is to change, as NOR flash allows. */
#ifndef EK_FLASH_UNIT
#define EK_FLASH_UNIT 8
#endif

/* What a slot must hold. */
#define EK_SLOT_BYTES (32u + 24u + EK_STATE_BYTES)

/* The memory. Each callback returns 0 when all was done; `at` counts from where the first slot
   begins. What was programmed and erased before a sync is on the device when that returns. */
typedef struct {
    void *device; /* handed to the callbacks */
    int (*read)(void *device, uint32_t at, void *to, uint32_t bytes);
    int (*program)(void *device, uint32_t at, const void *from, uint32_t bytes);
    int (*erase)(void *device, uint32_t at, uint32_t bytes); /* to 0xff */
    int (*sync)(void *device);
    uint32_t slot_bytes; /* whole pages, EK_SLOT_BYTES at least; the second slot follows the first */
} ek_flash;

/* Makes the learner the newest checkpoint. On EK_IO the newest is the one that was, or this one. On
   EK_SMALL nothing was read or written, here and below. */
int ek_save(void *arena, const ek_flash *flash);

/* Goes on with the newest checkpoint that is whole and of this configuration. EK_BAD_STATE: there is
   none, and the arena is as it was; or what it holds is no state that learning leads to, and the
   learner begins again. EK_IO: it could not be read, and the learner begins again. */
int ek_open(void *arena, const ek_flash *flash);

#ifdef __cplusplus
}
#endif

#endif
