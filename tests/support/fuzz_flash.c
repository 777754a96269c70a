/* Slots of an exported learner under libFuzzer: an input is a list of edits to an image of two good
   checkpoints. Compiled with the learner by fuzz_flash.py.

   Byte 0 says which checksums are made right again afterwards (bits 0 and 1: of the headers; 2 and 3:
   of the payloads too), byte 1 which read fails (0: none); then three bytes an edit: place, value. */
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "flash.h"

enum { PAGE = 256, HEAD = 32, TABLE = 24 };
#define SLOT ((EK_SLOT_BYTES + PAGE - 1) / PAGE * PAGE)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t image[2 * SLOT], good[2 * SLOT];
static uint8_t saved[2][EK_STATE_BYTES], fresh[EK_STATE_BYTES];
static double arena[(EK_ARENA_BYTES + 7) / 8], before[(EK_ARENA_BYTES + 7) / 8];
static int reads, failing;

static int flash_read(void *device, uint32_t at, void *to, uint32_t bytes)
{
    (void)device;
    if (at > sizeof image || bytes > sizeof image - at)
        abort();
    if (++reads == failing)
        return 1;
    memcpy(to, image + at, bytes);
    return 0;
}

static int flash_program(void *device, uint32_t at, const void *from, uint32_t bytes)
{
    (void)device;
    if (at > sizeof image || bytes > sizeof image - at)
        abort();
    memcpy(image + at, from, bytes);
    return 0;
}

static int flash_erase(void *device, uint32_t at, uint32_t bytes)
{
    (void)device;
    if (at > sizeof image || bytes > sizeof image - at)
        abort();
    memset(image + at, 0xff, bytes);
    return 0;
}

static int flash_sync(void *device)
{
    (void)device;
    return 0;
}

static const ek_flash store = {NULL, flash_read, flash_program, flash_erase, flash_sync, SLOT};

static void make(void)
{
    ek_number x[EK_FEATURES];
    memset(image, 0xff, sizeof image);
    ek_start(arena);
    memcpy(fresh, ek_file(arena), sizeof fresh);
    for (int i = 0; i < 2; i++) {
        for (int t = 0; t < 90; t++) {
            for (int j = 0; j < EK_FEATURES; j++)
                x[j] = (ek_number)((t * (j + 3) + i) % 11 - 5);
            if (ek_learn(arena, x, t % 3 ? 1.0 : -1.0, NULL) != EK_OK)
                abort();
        }
        memcpy(saved[i], ek_file(arena), sizeof saved[i]);
        if (ek_save(arena, &store) != EK_OK)
            abort();
    }
    memcpy(good, image, sizeof good);
}

static void put(uint8_t *to, uint32_t word)
{
    memcpy(to, &word, sizeof word);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int made;
    if (!made)
        make();
    made = 1;
    if (size < 2)
        return 0;
    memcpy(image, good, sizeof image);
    for (size_t i = 2; i + 3 <= size; i += 3)
        image[(data[i] | (size_t)data[i + 1] << 8) % sizeof image] = data[i + 2];
    for (int slot = 0; slot < 2; slot++) {
        uint8_t *head = image + slot * (int)SLOT;
        if (data[0] >> (2 + slot) & 1)
            put(head + 24, ek_crc32(0, head + HEAD, TABLE + EK_STATE_BYTES));
        if (data[0] >> slot & 1)
            put(head + 28, ek_crc32(0, head, 28));
    }
    const int forged = data[0] >> 2 & 3;
    failing = data[1];
    reads = 0;
    memset(arena, 0x5a, sizeof arena);
    memcpy(before, arena, sizeof arena);
    const int outcome = ek_open(arena, &store);
    const uint8_t *state = ek_base(arena);
    if (outcome == EK_OK) {
        /* Of this configuration, and one of the two, unless a checksum was forged. */
        if (!ek_same_model(state))
            abort();
        if (!forged && memcmp(state, saved[0], EK_STATE_BYTES) &&
            memcmp(state, saved[1], EK_STATE_BYTES))
            abort();
    } else if (outcome == EK_BAD_STATE) {
        /* Nothing is intact; or what is forged is no state of a learner, which starts over. */
        if (memcmp(arena, before, sizeof arena) &&
            (!forged || memcmp(ek_file(arena), fresh, sizeof fresh)))
            abort();
    } else if (outcome != EK_IO || !failing || memcmp(ek_file(arena), fresh, sizeof fresh)) {
        abort();
    }
    /* Whatever lies there, the next checkpoint is whole. */
    failing = 0;
    ek_start(arena);
    if (ek_save(arena, &store) != EK_OK || ek_open(arena, &store) != EK_OK ||
        memcmp(ek_file(arena), fresh, sizeof fresh))
        abort();
    (void)ek_load(arena, image + HEAD + TABLE, EK_STATE_BYTES);
    return 0;
}
