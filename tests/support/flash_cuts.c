/* Checkpoints on simulated flash whose power fails: `flash_cuts cut CUTS SEED` cuts a save at every
   operation, over and over with other tears; `flash_cuts fuzz IMAGES SEED` opens damaged images.
   Compiled with an exported learner. Prints what was done; not 0 where something was lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flash.h"

#include "block.h"

enum { PAGE = 1024, UNIT = EK_FLASH_UNIT };
#define SLOT ((EK_SLOT_BYTES + PAGE - 1) / PAGE * PAGE)
#define ALL (2 * SLOT)

static uint64_t seed;

static uint32_t draw(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33);
}

typedef struct {
    uint8_t now[ALL], synced[ALL]; /* as it reads; as it was when a sync last returned */
    long cut, operation;           /* the operation that the power fails in, -1 for none */
    int off;
} chip;

static void fail(const char *why)
{
    printf("%s\n", why);
    exit(1);
}

/* The power fails while `bytes` at `at` change to `to`: some of these bits have changed, and of what
   was not synced any unit may be as it was. */
static int cut(chip *c, uint32_t at, const uint8_t *to, uint32_t bytes)
{
    c->off = 1;
    for (uint32_t i = 0, mode = draw() % 3; i < bytes; i++) {
        const uint8_t half = mode == 0 ? 0 : mode == 1 ? (uint8_t)draw() : i < draw() % UNIT;
        c->now[at + i] = (uint8_t)((c->now[at + i] & ~half) | (to[i] & half));
    }
    if (draw() % 2)
        for (uint32_t unit = 0; unit < ALL; unit += UNIT)
            if (draw() % 2)
                memcpy(c->now + unit, c->synced + unit, UNIT);
    return 1;
}

static int flash_read(void *device, uint32_t at, void *to, uint32_t bytes)
{
    chip *c = device;
    if (c->off)
        return 1;
    if (at > ALL || bytes > ALL - at)
        fail("read beyond the memory");
    memcpy(to, c->now + at, bytes);
    return 0;
}

static int flash_program(void *device, uint32_t at, const void *from, uint32_t bytes)
{
    chip *c = device;
    uint8_t to[UNIT];
    if (c->off)
        return 1;
    if (bytes != UNIT || at % UNIT || at > ALL - UNIT)
        fail("programmed anything but a unit");
    for (uint32_t i = 0; i < UNIT; i++) {
        /* Bits go from 1 to 0. A unit is programmed once; the first of a large one twice. */
        if (UNIT <= 32 ? c->now[at + i] != 0xff : (c->now[at + i] & ((const uint8_t *)from)[i]) !=
                                                      ((const uint8_t *)from)[i] &&
                                                      ((const uint8_t *)from)[i] != 0xff)
            fail("programmed twice");
        to[i] = c->now[at + i] & ((const uint8_t *)from)[i];
    }
    if (c->operation++ == c->cut)
        return cut(c, at, to, UNIT);
    memcpy(c->now + at, to, UNIT);
    return 0;
}

static int flash_erase(void *device, uint32_t at, uint32_t bytes)
{
    static uint8_t blank[PAGE];
    chip *c = device;
    memset(blank, 0xff, PAGE);
    if (c->off)
        return 1;
    if (at % PAGE || bytes % PAGE || at + bytes > ALL)
        fail("erased anything but pages");
    for (uint32_t page = at; page < at + bytes; page += PAGE) {
        if (c->operation++ == c->cut)
            return cut(c, page, blank, PAGE);
        memset(c->now + page, 0xff, PAGE);
    }
    return 0;
}

static int flash_sync(void *device)
{
    chip *c = device;
    if (c->off)
        return 1;
    if (c->operation++ == c->cut)
        return cut(c, 0, c->now, 0);
    memcpy(c->synced, c->now, ALL);
    return 0;
}

static double arena[(EK_ARENA_BYTES + 7) / 8], other[(EK_ARENA_BYTES + 7) / 8];
static uint8_t before[EK_STATE_BYTES], after[EK_STATE_BYTES];
static chip flash, kept;
static const ek_flash store = {&flash, flash_read, flash_program, flash_erase, flash_sync, SLOT};

static void power_on(void)
{
    flash.off = 0;
    flash.cut = -1;
    flash.operation = 0;
    memcpy(flash.synced, flash.now, ALL);
}

static void learn(int rows)
{
    ek_number x[EK_FEATURES];
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < EK_FEATURES; j++)
            x[j] = (ek_number)(draw() % 1000) / 500 - 1;
        if (ek_learn(arena, x, x[0] * x[1] > 0 ? 1.0 : -1.0, NULL) != EK_OK)
            fail("a row was refused");
    }
}

/* What opens is the last checkpoint or the one that was being written; returns which. */
static int opened(void)
{
    memset(other, 0, sizeof other);
    if (ek_open(other, &store) != EK_OK)
        fail("nothing opens: a checkpoint is lost");
    const void *file = ek_file(other);
    if (!memcmp(file, after, sizeof after))
        return 1;
    if (memcmp(file, before, sizeof before))
        fail("what opens is neither checkpoint");
    return 0;
}

/* CRC-32 of bytes. */
static uint32_t crc_of(const uint8_t *from, uint32_t bytes)
{
    uint32_t crc = 0xffffffffu;
    for (uint32_t i = 0; i < bytes; i++) {
        crc ^= from[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1)));
    }
    return ~crc;
}

/* The CRC of a header made right again, so that what it says is looked at. */
static void seal(uint8_t *head)
{
    const uint32_t crc = crc_of(head, 28);
    memcpy(head + 28, &crc, 4);
}

/* Makes the checkpoint of a slot one of another configuration, of another length or not. */
static void make_other(chip *c, uint32_t slot, int longer)
{
    uint8_t *head = c->now + slot * SLOT;
    uint32_t bytes;
    memcpy(&bytes, head + 16, 4);
    if (longer)
        bytes += SLOT - 32 - bytes < 5 ? SLOT - 32 - bytes : 5;
    else
        head[32 + 24 + EK_HEADER_BYTES - 1] ^= 1;
    memcpy(head + 16, &bytes, 4);
    bytes = crc_of(head + 32, bytes);
    memcpy(head + 24, &bytes, 4);
    seal(head);
}

/* Checkpoints of another configuration: none is written over, and a cut of ek_discard() loses none
   of this one. The flash holds two of this configuration, the newest `after`. */
static long discards(void)
{
    long done = 0;
    const chip ours = flash;
    const uint32_t newest = flash.now[12] == (uint8_t)(flash.now[SLOT + 12] + 1) ? 0 : 1;
    for (int longer = 0; longer < 2; longer++)
        for (int both = 0; both < 2; both++) {
            flash = ours;
            make_other(&flash, newest, longer);
            if (both)
                make_other(&flash, !newest, longer);
            kept = flash;
            memset(other, 0x5a, sizeof other);
            power_on();
            if (ek_save(arena, &store) != EK_OTHER || memcmp(flash.now, kept.now, ALL))
                fail("another's checkpoint was written over");
            if (ek_open(other, &store) != EK_OTHER || *(uint8_t *)other != 0x5a)
                fail("another's checkpoint was not told");
            for (int at = 0, discarded = EK_IO; discarded != EK_OK; at++, done++) {
                flash = kept;
                power_on();
                flash.cut = at;
                discarded = ek_discard(&store);
                power_on();
                if (ek_discard(&store) != EK_OK)
                    fail("no discarding after a cut");
                if (both ? ek_open(other, &store) != EK_BAD_STATE : opened())
                    fail("not what discarding leaves");
                if (ek_save(arena, &store) != EK_OK || !opened())
                    fail("no checkpoint after discarding");
            }
        }
    flash = ours;
    return done;
}

static long cuts(long wanted)
{
    long done = 0, old = 0;
    ek_start(arena);
    memset(flash.now, 0xff, ALL);
    power_on();
    if (ek_open(other, &store) != EK_BAD_STATE || ek_save(arena, &store) != EK_OK)
        fail("the first checkpoint");
    while (done < wanted) {
        memcpy(before, ek_file(arena), sizeof before);
        learn(20);
        memcpy(after, ek_file(arena), sizeof after);
        kept = flash;
        int saved = EK_IO;
        for (long at = 0; saved != EK_OK; at++, done++) {
            flash = kept;
            power_on();
            flash.cut = at;
            saved = ek_save(arena, &store);
            power_on();
            const int new = opened();
            if (saved == EK_OK && !new)
                fail("a checkpoint that was saved is lost");
            old += !new;
            /* Cut again while the next one is written, then it is written whole. */
            if (at % 7 == 0) {
                flash.cut = draw() % 40;
                (void)ek_save(arena, &store);
                power_on();
                (void)opened();
                if (ek_save(arena, &store) != EK_OK || !opened())
                    fail("no checkpoint after a cut");
            }
        }
        flash = kept;
        power_on();
        if (ek_save(arena, &store) != EK_OK || !opened())
            fail("a checkpoint that nothing cuts");
    }
    done += discards();
    if (!old)
        fail("no cut left the old one: the simulator does not cut");
    return done;
}

static long fuzz(long wanted)
{
    long refused = 0;
    ek_start(arena);
    memset(flash.now, 0xff, ALL);
    power_on();
    for (int i = 0; i < 2; i++) {
        learn(120);
        memcpy(i ? after : before, ek_file(arena), sizeof after);
        if (ek_save(arena, &store) != EK_OK)
            fail("a checkpoint");
    }
    kept = flash;
    for (long i = 0; i < wanted; i++) {
        flash = kept;
        for (uint32_t n = draw() % 6; n; n--) {
            uint8_t *head = flash.now + draw() % 2 * SLOT;
            const uint32_t kind = draw() % 4;
            if (kind == 0)
                flash.now[draw() % ALL] ^= (uint8_t)(1u << draw() % 8);
            else if (kind == 1)
                memset(flash.now + draw() % (ALL - 64), (int)(draw() % 2 * 255), draw() % 64);
            else
                head[kind == 2 ? 12 + draw() % 16 : draw() % 32] = (uint8_t)draw();
            if (kind > 1 && draw() % 2)
                seal(head);
        }
        memset(other, 0x5a, sizeof other);
        const int outcome = ek_open(other, &store);
        if (outcome == EK_OK) {
            if (memcmp(ek_file(other), before, sizeof before) &&
                memcmp(ek_file(other), after, sizeof after))
                fail("a damaged state was opened");
        } else {
            refused++;
            for (size_t k = 0; k < sizeof other; k++)
                if (((const uint8_t *)other)[k] != 0x5a)
                    fail("the arena was touched");
        }
    }
    if (!refused)
        fail("nothing was refused: the images are not damaged");
    return wanted;
}

int main(int count, char **given)
{
    if (count != 4)
        return 2;
    const long wanted = atol(given[2]);
    seed = (uint64_t)atol(given[3]);
    const long done = strcmp(given[1], "fuzz") ? cuts(wanted) : fuzz(wanted);
    printf("%ld %ss, nothing lost\n", done, given[1]);
    return 0;
}
