/* From a row to its scores, in one type: blocks of features and their sums with weights. Included after
   single.h, double.h or whole.h; more than once, as a unit for int8 has two of these types. */

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
