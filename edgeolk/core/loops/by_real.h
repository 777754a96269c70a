/* The loops over coefficients, kernel rows and products for one type of these, OLK_R named
   OLK_REAL; included by isa.h through reals.h. Each number is widened to double as it is read: what is computed with
   it does not depend on the type. */

#define OLK_FN(name) OLK_NAME(OLK_CAT(name, OLK_REAL))
/* A vector of doubles from index i of an array of this type, and back. */
#define OLK_AT(array, i) OLK_FN(olk_widen)((array) + (i))
#define OLK_PUT(array, i, vector) OLK_FN(olk_put)((array) + (i), vector)
/* The same of an array of doubles. */
#define OLK_WIDE_AT(array, i) OLK_NAME(olk_load_f64)((array) + (i))
#include "vectors.h"
#include "coefficients.h"
#include "searches.h"
#include "merge.h"
#include "angles.h"
#undef OLK_FN
#undef OLK_AT
#undef OLK_PUT
#undef OLK_WIDE_AT
