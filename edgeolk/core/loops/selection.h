/* The k-th largest of an array, in place. */
#pragma once

#include <stddef.h>

/* The k-th largest of v[0..n-1], 1 <= k <= n, by quickselect (Hoare 1961); v is reordered. */
static inline double olk_kth_largest(double *v, ptrdiff_t n, ptrdiff_t k)
{
    ptrdiff_t low = 0, high = n - 1;
    while (low < high) {
        const double pivot = v[low + (high - low) / 2];
        ptrdiff_t i = low, j = high;
        while (i <= j) {
            while (v[i] > pivot)
                i++;
            while (v[j] < pivot)
                j--;
            if (i <= j) {
                const double t = v[i];
                v[i++] = v[j];
                v[j--] = t;
            }
        }
        if (k - 1 <= j)
            high = j;
        else if (k - 1 >= i)
            low = i;
        else
            break;
    }
    return v[k - 1];
}
