/* From a row to its scores, in one compute type: blocks of features and their weighted sums.
   Included after single.h, double.h or whole.h; twice in a unit for int8, which has two compute
   types. */

#include "walsh.h"

#include "fold.h"

#include "paces.h"

#ifdef OLK_SORF_FIXED
#include "whole_features.h"
#else
#include "phases.h"
#endif
#ifdef OLK_INTERLEAVED
#include "interleaved.h"
#endif

#include "sums.h"

#include "pass.h"
