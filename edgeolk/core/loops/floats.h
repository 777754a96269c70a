/* What the loops over structured features take of numbers, where these are floats or doubles;
   included by structured_isa.h with OLK_T set. fixed.h says the same of whole numbers. */

#define OLK_WHOLE 0
#define OLK_REAL OLK_T /* of single numbers */
#define OLK_F OLK_T    /* of features */
#define OLK_SUM OLK_T  /* of sums of features, and of changes */
#define OLK_ONE 1      /* a feature of 1 */
#define OLK_GRID(p) 0  /* what rows are rounded to */
#define OLK_ON_GRID(x, grid) ((void)(grid), (OLK_T)(x))
#define OLK_OFF_GRID(v, unit) ((void)(unit), (v))
#define OLK_PACE(omega, grid) ((void)(grid), (OLK_T)(omega))
/* A factor, and its products with features: changes in OLK_UNIT parts of a level. */
#define OLK_STEP OLK_T
#define OLK_STEP_OF(tau) ((tau) * OLK_UNIT)
#define OLK_TIMES(step, x) ((step) * (x))
#define OLK_IS_TAME(step, most) (OLK_ABS(step) <= (most))
#define OLK_GAP_ONE 1 /* gaps between weights, and what a weight is short of kappa times a feature */
#define OLK_GAP(levels) (levels)
#define OLK_SHORT(kappa, x, a) ((kappa) * (x) - (OLK_T)(a))
