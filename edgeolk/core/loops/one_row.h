/* The kernel row alone, number by number, in plain C99: what a program that only scores takes of the
   loops over the ring. OLK_ROW_STORES says how its vectors are stored, OLK_ROW_REAL the type of its
   coefficients. */
#pragma once

#define OLK_NUMBER_BITS (OLK_ROW_STORES == 2 ? 64 : 32)
#define OLK_REAL_BITS (OLK_ROW_REAL == 2 ? 64 : 32)

#include "dots.h"
#include "kernel_row.h"
