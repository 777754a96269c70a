/* Only the kernel row, number by number, in plain C99: the loops over the ring that a program for
   scoring needs. OLK_ROW_STORES is the storage type of its vectors, OLK_ROW_REAL the type of its
   coefficients. */
#pragma once

#define OLK_NUMBER_BITS (OLK_ROW_STORES == 2 ? 64 : 32)
#define OLK_REAL_BITS (OLK_ROW_REAL == 2 ? 64 : 32)

#include "dots.h"
#include "kernel_row.h"
