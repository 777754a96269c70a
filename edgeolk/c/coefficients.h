/* The type of a unit's coefficients, by OLK_COEF_BITS. */
#pragma once

#if OLK_COEF_BITS == 64
typedef double olk_coef_t;
#else
typedef float olk_coef_t;
#endif
