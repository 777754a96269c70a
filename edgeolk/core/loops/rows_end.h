/* Ends the names that rows.h makes for one storage type. */
#undef OLK_LESS
#undef OLK_LOAD
#undef OLK_FULL
#undef OLK_V
#undef OLK_BY_TYPE
#undef OLK_FN
