/* The loops over a ring of one storage type, included by by_storage.h. */
#include "rows.h"
#include "one_slot.h"
#include "together.h"
#if !OLK_SHIFTED
#include "sparse.h"
#endif
#include "rows_end.h"
