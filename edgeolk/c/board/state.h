/* The state of a learner that learns: at the start, as a file, from a file. Included once, by a
   source that defines EK_HOLDS(block), whether learning can reach the state in a block. */

void ek_start(void *arena)
{
    uint8_t *base = ek_base(arena);
    const uint8_t *from = ek_model_bytes;
    memset(base, 0, EK_STATE_BYTES);
    for (size_t i = 0; i < EK_RUNS; i++) {
        EK_COPY_MODEL(base + ek_model_runs[i].offset, from, ek_model_runs[i].bytes);
        from += ek_model_runs[i].bytes;
    }
#if EK_SAMPLES
    ek_restart_samples(arena);
#endif
}

const void *ek_file(void *arena)
{
    uint8_t *base = ek_base(arena);
    const uint32_t crc = ek_file_crc(base);
    memcpy(base + EK_AT_CRC, &crc, sizeof crc);
    return base;
}

int ek_load(void *arena, const void *file, size_t bytes)
{
    const uint8_t *from = (const uint8_t *)file;
    uint32_t crc;
    if (bytes != EK_STATE_BYTES || !ek_same_model(from))
        return EK_BAD_STATE;
    memcpy(&crc, from + EK_AT_CRC, sizeof crc);
    if (crc != ek_file_crc(from) || !EK_HOLDS(from))
        return EK_BAD_STATE;
    if (from != ek_base(arena))
        memcpy(ek_base(arena), from, EK_STATE_BYTES);
#if EK_SAMPLES
    ek_restart_samples(arena);
#endif
    return EK_OK;
}
