/* Windows of samples: rows for the learner in the same arena. */
#include "strict.h"

#include "edgeolk.h"

#include "block.h"

#include "edgeolk/sample_windows.h"

/* Its members are constants to the compiler. */
static const olk_windows ek_windows = EK_WINDOWS;

static void ek_enter_windows(void *arena, olk_window_block *at)
{
    olk_windows_attach(at, &ek_windows, ek_base(arena) + EK_AT_WINDOWS);
}

void ek_restart_samples(void *arena)
{
    olk_window_block at;
    ek_enter_windows(arena, &at);
    olk_windows_restart(&ek_windows, &at);
}

int ek_sample(void *arena, const ek_reading *sample)
{
    olk_window_block at;
    ek_enter_windows(arena, &at);
    if (!olk_windows_accepts(&ek_windows, sample))
        return EK_BAD_ROW;
    return olk_windows_take(&ek_windows, &at, sample);
}

const ek_number *ek_row(void *arena)
{
    olk_window_block at;
    ek_enter_windows(arena, &at);
    return at.row;
}
