/* The loop over a ring of one storage type for one row, included by by_storage.h. */
#include "rows.h"
#include "rows_end.h"
