"""Statistics of one sensor that sends nonsense now and then: loops/winsor.h, which says how."""

from libc.float cimport DBL_MAX
from libc.math cimport fabs, isfinite, ldexp
from libc.stdint cimport int64_t

from edgeolk.core.structs cimport OLK_START, olk_feature as Feature


cdef extern from "winsor.h" nogil:
    bint olk_no_spread(double sd, double size) noexcept
    void count_clipped "olk_count_clipped"(Feature* f) noexcept
    void learn_reading "olk_learn_reading"(
        Feature* f, double x, double clip, double least_gain) noexcept
    bint beyond "olk_beyond"(const Feature* f, double x, double clip) noexcept


cdef inline bint feature_holds(const Feature* f, int64_t n_seen, bint frozen) noexcept nogil:
    """Whether the CONVENTION holds after n_seen readings; nothing is taken for granted."""
    if not (
        isfinite(f.mean)
        and fabs(f.low) <= ldexp(fabs(f.mean), -52)
        and 0.0 <= f.sd <= DBL_MAX
        and isfinite(f.held)
        and f.age <= n_seen
        and (f.age >= OLK_START or f.age == n_seen)
        and (frozen or f.clipped <= n_seen)
    ):
        return False
    if f.age == 0:
        return f.mean == 0.0 and f.sd == 0.0 and f.held == 0.0
    if f.age < OLK_START:
        return f.sd == 0.0 and f.low == 0.0 and (f.age > 1 or f.held == f.mean)
    return f.sd == 0.0 or (f.held == 0.0 and not olk_no_spread(f.sd, fabs(f.mean)))
