/* Only the kernel row, number by number, in plain C99: the loops over the ring that a program for
   scoring needs. OLK_ROW_STORES is the storage type of its vectors, OLK_ROW_COEF the type of its
   coefficients. */
#pragma once

#define OLK_NUMBER_BITS (OLK_ROW_STORES == 2 ? 64 : 32)
#define OLK_COEF_BITS (OLK_ROW_COEF == 2 ? 64 : 32)

#include "dots.h"
#include "kernel_row.h"
