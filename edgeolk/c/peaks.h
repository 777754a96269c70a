/* The two largest peaks that a value has shown: how surprising a larger value is, without any
   assumption about its distribution (docs/novelty.md, section 3). For one type of weights. */
#pragma once

#include "sorf_form.h"
#include "watch_state.h"

/* Largest rise of the first peak at once, in widths; a gap between the peaks beyond this many floors
   is an outlier of the first readings, and is shortened to so many. */
static const double olk_max_rise = 4.0;
static const double olk_wild_floors = 50.0, olk_tamed_floors = 2.5;
/* 1 / ln 10. */
static const double olk_log10_e = 0.43429448190325182765;

/* Peaks as the block stores them. A stretch is a run of values above the second peak, and counts as
   one peak when it ends; `pending` is its largest value, and stays when it has ended. Its length is
   stored elsewhere, in a byte. */
typedef struct {
    olk_input first, second, pending; /* b0 >= b1, pend */
} olk_peaks;

/* Whether there are two peaks. */
static OLK_INLINE int olk_has_two_peaks(const olk_peaks *peaks)
{
    return (double)peaks->second > -HUGE_VAL;
}

/* The scale of the values above the second peak, at least `floor`. */
static OLK_INLINE double olk_width_of_peaks(const olk_peaks *peaks, double floor)
{
    const double gap = (double)peaks->first - (double)peaks->second;
    return gap > floor ? gap : floor;
}

/* Minus the common logarithm of the probability of x after n values: that two of n were above the
   second peak, times the predictive tail of an exponential distribution whose scale is known from
   two peaks. 0 up to the second peak. */
static inline double olk_surprise(const olk_peaks *peaks, olk_input x, double n, double floor)
{
    if (!(x > peaks->second) || !olk_has_two_peaks(peaks))
        return 0.0;
    const double width = olk_width_of_peaks(peaks, floor);
    if (!(width > 0.0))
        return 0.0;
    const double above = (double)x - (double)peaks->second;
    return olk_log10_e * (olk_log(0.5 * n) + 2.0 * olk_log(1.0 + above / (2.0 * width)));
}

/* Learns a value; `stretch` is the length of the stretch, `capped` whether its peak is capped. */
static inline void olk_learn_peak(olk_peaks *peaks, uint8_t *stretch, olk_input x, int capped,
                                  double floor)
{
    const int above = x > peaks->second;
    if (above) {
        peaks->pending = *stretch == 0 || x > peaks->pending ? x : peaks->pending;
        *stretch = (uint8_t)(*stretch + 1);
    }
    if (*stretch == 0 || (above && *stretch < OLK_LONGEST_STRETCH))
        return;
    olk_input peak = peaks->pending;
    if (capped && olk_has_two_peaks(peaks)) {
        const olk_input most = (olk_input)((double)peaks->first +
                                           olk_max_rise * olk_width_of_peaks(peaks, floor));
        peak = peak < most ? peak : most;
    }
    if (peak > peaks->first) {
        peaks->second = peaks->first;
        peaks->first = peak;
    } else if (peak > peaks->second) {
        peaks->second = peak;
    }
    *stretch = 0;
}

/* Lowers a first peak far above the second one: an outlier among the first readings would hide all
   later ones. */
static inline void olk_tame_peaks(olk_peaks *peaks, double floor)
{
    if (olk_has_two_peaks(peaks) && floor > 0.0 &&
        (double)peaks->first - (double)peaks->second > olk_wild_floors * floor)
        peaks->first = (olk_input)((double)peaks->second + olk_tamed_floors * floor);
}

/* Takes the last stretch as normal, if it is not over or its peak was capped: it becomes the second
   peak, and the distance of the first one stays. */
static inline void olk_accept_peak(olk_peaks *peaks, uint8_t *stretch)
{
    if (olk_has_two_peaks(peaks) && (*stretch > 0 || peaks->pending > peaks->first)) {
        const double gap = (double)peaks->first - (double)peaks->second;
        peaks->second = peaks->pending;
        if ((double)peaks->pending + gap > (double)peaks->first)
            peaks->first = (olk_input)((double)peaks->pending + gap);
    }
    *stretch = 0;
}
