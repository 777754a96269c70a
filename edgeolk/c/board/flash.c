/* Two slots: payload, sync, header, sync. The header never reaches the device before its payload;
   until it does, the previous slot is the newest. */
#include "strict.h"

#include "flash.h"

#include "block.h"

enum { EK_HEAD = 32, EK_TABLE = 24, EK_CHUNK = 32 };

/* Little-endian words of a header: magic (two), version, sequence, length (two), the payload's
   checksum, the header's own. */
typedef struct {
    uint32_t word[8];
} ek_head;

static const uint32_t ek_magic[3] = {0x65676465u, 0x74706b63u, 1u}; /* "edgeckpt", format 1 */
/* Table of a payload: one object, a learner of EK_STATE_BYTES. */
static const uint32_t ek_table[6] = {1u, 0u, 1u, 0u, EK_STATE_BYTES, 0u};

/* Whether a header is intact; length 0 is that of a slot the library created, but never wrote. */
static int ek_is_head(const ek_head *h)
{
    return memcmp(h->word, ek_magic, 8) == 0 &&
           h->word[7] == ek_crc32(0, h->word, 28) && (h->word[4] | h->word[5]) != 0;
}

/* Whether bytes of a model file have another configuration; counters and checksum may differ. */
static int ek_differs(const uint8_t *bytes, uint32_t at, uint32_t count)
{
    int differs = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t place = at + i;
        const int fixed = place < EK_AT_CRC || (place >= EK_AT_CRC + 4 && place < EK_AT_VECTORS) ||
                          (place >= EK_AT_VALUES && place < EK_HEADER_BYTES);
        differs |= fixed && bytes[i] != EK_HEADER_BYTE(place);
    }
    return differs;
}

/* What a slot with an intact header holds: EK_OK for a checkpoint of this configuration, EK_OTHER,
   EK_BAD_STATE if it is damaged, or EK_IO. What cannot be checked, of a later format or from longer
   slots, is of another configuration. */
static int ek_held(const ek_flash *flash, uint32_t slot, const ek_head *h)
{
    uint8_t chunk[EK_CHUNK];
    uint32_t crc = 0, at = 0;
    const uint32_t length = h->word[4];
    int other = length != EK_TABLE + EK_STATE_BYTES;
    if (h->word[2] != ek_magic[2] || h->word[5] != 0 || length > flash->slot_bytes - EK_HEAD)
        return EK_OTHER;
    for (uint32_t count; at < length; at += count) {
        count = at == 0 ? EK_TABLE : EK_CHUNK;
        count = length - at < count ? length - at : count;
        if (flash->read(flash->device, slot * flash->slot_bytes + EK_HEAD + at, chunk, count))
            return EK_IO;
        crc = ek_crc32(crc, chunk, count);
        if (at == 0)
            other |= memcmp(chunk, ek_table, count) != 0;
        else
            other |= ek_differs(chunk, at - EK_TABLE, count);
    }
    if (crc != h->word[6])
        return EK_BAD_STATE;
    return other ? EK_OTHER : EK_OK;
}

/* The newest intact slot and its sequence number: 0 or 1, EK_OTHER if it is of another
   configuration, EK_BAD_STATE if there is none, or EK_IO. With `lenient`, a slot that cannot be
   read is skipped. */
static int ek_newest(const ek_flash *flash, int lenient, uint32_t *sequence, uint32_t *crc)
{
    ek_head head[2];
    int known[2];
    for (uint32_t slot = 0; slot < 2; slot++) {
        known[slot] = !flash->read(flash->device, slot * flash->slot_bytes, &head[slot], EK_HEAD);
        if (!known[slot] && !lenient)
            return EK_IO;
        known[slot] = known[slot] && ek_is_head(&head[slot]);
    }
    /* Sequence numbers wrap. */
    const uint32_t ahead = head[1].word[3] - head[0].word[3];
    const int second = known[0] && known[1] ? ahead != 0 && ahead < 0x80000000u : known[1];
    for (int turn = 0; turn < 2; turn++) {
        const uint32_t slot = (uint32_t)(turn ? !second : second);
        const int held = known[slot] ? ek_held(flash, slot, &head[slot]) : EK_BAD_STATE;
        if (held == EK_OTHER || (held == EK_IO && !lenient))
            return held;
        if (held == EK_OK) {
            *sequence = head[slot].word[3];
            *crc = head[slot].word[6];
            return (int)slot;
        }
    }
    return EK_BAD_STATE;
}

/* State of writing a slot, unit by unit. */
typedef struct {
    const ek_flash *flash;
    uint32_t at, crc; /* address of the next byte; the checksum so far */
    uint8_t unit[EK_FLASH_UNIT];
} ek_writer;

static int ek_flush(ek_writer *w, uint32_t end)
{
    const uint32_t start = (end - 1) / EK_FLASH_UNIT * EK_FLASH_UNIT;
    const int failed = w->flash->program(w->flash->device, start, w->unit, EK_FLASH_UNIT);
    memset(w->unit, 0xff, sizeof w->unit);
    return failed;
}

static int ek_put(ek_writer *w, const void *data, uint32_t bytes)
{
    const uint8_t *from = (const uint8_t *)data;
    w->crc = ek_crc32(w->crc, data, bytes);
    for (uint32_t i = 0; i < bytes; i++) {
        w->unit[w->at % EK_FLASH_UNIT] = from[i];
        w->at++;
        if (w->at % EK_FLASH_UNIT == 0 && ek_flush(w, w->at))
            return EK_IO;
    }
    return EK_OK;
}

static int ek_end(ek_writer *w)
{
    if (w->at % EK_FLASH_UNIT && ek_flush(w, w->at))
        return EK_IO;
    return w->flash->sync(w->flash->device) ? EK_IO : EK_OK;
}

int ek_save(void *arena, const ek_flash *flash)
{
    uint32_t sequence = 0, ignored;
    if (flash->slot_bytes < EK_SLOT_BYTES)
        return EK_SMALL;
    const int newest = ek_newest(flash, 0, &sequence, &ignored);
    const uint32_t slot = newest == 0, start = slot * flash->slot_bytes;
    ek_head head;
    ek_writer w;
    if (newest == EK_IO || newest == EK_OTHER)
        return newest;
    const void *file = ek_file(arena);
    if (flash->erase(flash->device, start, flash->slot_bytes) || flash->sync(flash->device))
        return EK_IO;
    w.flash = flash;
    w.at = start + EK_HEAD;
    w.crc = 0;
    memset(w.unit, 0xff, sizeof w.unit);
    if (ek_put(&w, ek_table, EK_TABLE) || ek_put(&w, file, EK_STATE_BYTES) || ek_end(&w))
        return EK_IO;
    memcpy(head.word, ek_magic, sizeof ek_magic);
    head.word[3] = sequence + 1u;
    head.word[4] = EK_TABLE + EK_STATE_BYTES;
    head.word[5] = 0;
    head.word[6] = w.crc;
    head.word[7] = ek_crc32(0, head.word, 28);
    w.at = start;
    return ek_put(&w, &head, EK_HEAD) || ek_end(&w) ? EK_IO : EK_OK;
}

int ek_open(void *arena, const ek_flash *flash)
{
    uint32_t ignored, expected = 0;
    uint8_t *base = ek_base(arena);
    if (flash->slot_bytes < EK_SLOT_BYTES)
        return EK_SMALL;
    const int slot = ek_newest(flash, 1, &ignored, &expected);
    if (slot < 0)
        return slot;
    const uint32_t at = (uint32_t)slot * flash->slot_bytes + EK_HEAD + EK_TABLE;
    const int failed = flash->read(flash->device, at, base, EK_STATE_BYTES);
    const uint32_t crc = ek_crc32(ek_crc32(0, ek_table, EK_TABLE), base, EK_STATE_BYTES);
    if (failed || crc != expected) {
        ek_start(arena);
        return EK_IO;
    }
    if (ek_load(arena, base, EK_STATE_BYTES) != EK_OK) { /* intact, but not a valid state */
        ek_start(arena);
        return EK_BAD_STATE;
    }
    return EK_OK;
}

int ek_discard(const ek_flash *flash)
{
    if (flash->slot_bytes < EK_SLOT_BYTES)
        return EK_SMALL;
    for (uint32_t slot = 0; slot < 2; slot++) {
        const uint32_t start = slot * flash->slot_bytes;
        ek_head head;
        if (flash->read(flash->device, start, &head, EK_HEAD))
            return EK_IO;
        const int held = ek_is_head(&head) ? ek_held(flash, slot, &head) : EK_BAD_STATE;
        if (held == EK_IO ||
            (held == EK_OTHER && (flash->erase(flash->device, start, flash->slot_bytes) ||
                                  flash->sync(flash->device))))
            return EK_IO;
    }
    return EK_OK;
}
