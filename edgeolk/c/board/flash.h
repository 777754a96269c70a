/* Power-safe checkpoints in flash memory: two slots, written in turn, in the format of
   edgeolk.Checkpointer. The newest intact slot is never overwritten, and what a program of another
   configuration saved last is kept until ek_discard(). */
#ifndef EDGEOLK_FLASH_H
#define EDGEOLK_FLASH_H

#include "edgeolk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that are programmed at once, a power of two. Each unit is programmed once per erasure; if a
   unit has more than 32 bytes, the first of a slot is programmed a second time, with 0xff in the
   bytes that stay, as NOR flash allows. */
#ifndef EK_FLASH_UNIT
#define EK_FLASH_UNIT 8
#endif

/* Minimum size of a slot. */
#define EK_SLOT_BYTES (32u + 24u + EK_STATE_BYTES)

/* The memory. Each callback returns 0 on success; `at` counts from the start of the first slot.
   What was programmed and erased before a sync is on the device when the sync returns. */
typedef struct {
    void *device; /* passed to the callbacks */
    int (*read)(void *device, uint32_t at, void *to, uint32_t bytes);
    int (*program)(void *device, uint32_t at, const void *from, uint32_t bytes);
    int (*erase)(void *device, uint32_t at, uint32_t bytes); /* to 0xff */
    int (*sync)(void *device);
    uint32_t
        slot_bytes; /* a multiple of the page size, at least EK_SLOT_BYTES; the second slot follows the first */
} ek_flash;

/* Writes the learner as the newest checkpoint. On EK_IO the newest is either the previous one or
   this one. EK_OTHER: the newest is of another configuration, and nothing was written. On EK_SMALL
   nothing was read or written, here and below. */
int ek_save(void *arena, const ek_flash *flash);

/* Continues from the newest intact checkpoint. EK_OTHER: it is of another configuration, and the
   arena is unchanged. EK_BAD_STATE: there is none, and the arena is unchanged; or its state is one
   that learning cannot reach, and the learner starts over. EK_IO: it could not be read, and the
   learner starts over. */
int ek_open(void *arena, const ek_flash *flash);

/* Erases the checkpoints of other configurations, so that ek_save() writes again; one of this
   configuration stays, and ek_open() then opens it. On EK_IO some may be left: call it again. */
int ek_discard(const ek_flash *flash);

#ifdef __cplusplus
}
#endif

#endif
