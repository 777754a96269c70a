"""Losses of the score f, their derivatives with respect to f, and residuals.

With several classes f is the margin and y = 1; for novelty y is the threshold.
"""

from libc.math cimport NAN, exp, fabs, isfinite, log1p
from libc.stdint cimport int64_t
from libc.string cimport memset

from edgeolk.ring.expansion cimport class_row
from edgeolk.ring.ring cimport SupportVectorRing, coefficients
from edgeolk.core.state cimport Example


cdef inline double sigmoid(double u) noexcept nogil:
    """1 / (1 + exp(-u)), without overflow."""
    cdef double e
    if u >= 0.0:
        return 1.0 / (1.0 + exp(-u))
    e = exp(u)
    return e / (1.0 + e)


cdef inline double softplus(double u) noexcept nogil:
    """log(1 + exp(u)), without overflow."""
    return (u if u > 0.0 else 0.0) + log1p(exp(-fabs(u)))


cdef inline double label(SupportVectorRing ring, const Example* e) noexcept nogil:
    """The sign of the new coefficient under a loss of the margin."""
    return e.y


cdef inline double hinge(SupportVectorRing ring, const Example* e) noexcept nogil:
    """max(0, 1 - y f)."""
    cdef double h = 1.0 - e.y * e.f
    return h if h > 0.0 else 0.0


cdef inline double hinge_slope(SupportVectorRing ring, const Example* e) noexcept nogil:
    """0 at y f = 1 exactly."""
    return -e.y if e.y * e.f < 1.0 else 0.0


cdef inline double ramp_slope(SupportVectorRing ring, const Example* e) noexcept nogil:
    """The slope of the hinge, 0 wherever |f| > 1."""
    return 0.0 if fabs(e.f) > 1.0 else hinge_slope(ring, e)


cdef inline double logistic_slope(SupportVectorRing ring, const Example* e) noexcept nogil:
    return -e.y * sigmoid(-e.y * e.f)


cdef inline double square_slope(SupportVectorRing ring, const Example* e) noexcept nogil:
    return e.f - e.y


cdef inline double novelty_slope(SupportVectorRing ring, const Example* e) noexcept nogil:
    return -1.0 if e.f < e.y else 0.0


cdef inline double epsilon(SupportVectorRing ring, const Example* e) noexcept nogil:
    """max(0, |y - f| - epsilon)."""
    cdef double h = fabs(e.y - e.f) - ring.c.p.epsilon
    return h if h > 0.0 else 0.0


cdef inline double epsilon_sign(SupportVectorRing ring, const Example* e) noexcept nogil:
    return 1.0 if e.y > e.f else -1.0


cdef inline double epsilon_slope(SupportVectorRing ring, const Example* e) noexcept nogil:
    """0 on the edge of the tolerance."""
    return -epsilon_sign(ring, e) if epsilon(ring, e) > 0.0 else 0.0


# Several classes over one ring: K columns of coefficients, one kernel row for all of them.
#
# Scores f_k(x) = sum_i a_ik k(s_i, x). The margin of a row is the score of its class minus the best
# of the others. With the margin in place of y f, and the new coefficient multiplied by a share in
# each column, every update is that of two classes (Crammer & Singer 2003; Crammer et al. 2006,
# section 8).

cdef inline void set_hinge_shares(SupportVectorRing ring, int64_t rival, Example* e) noexcept nogil:
    """1 at the class, -1 at its best rival."""
    memset(e.share, 0, <size_t>ring.c.columns * sizeof(double))
    e.share[e.label] = 1.0
    e.share[rival] = -1.0
    e.power = 2.0


cdef inline void set_softmax_shares(SupportVectorRing ring, const double* f, int64_t rival,
                                    Example* e) noexcept nogil:
    """1 - p at the class, -p label_hint, p = softmax(f).

    The class's share is the sum of the others': 1 - p would lose the digits of a small one.
    """
    cdef int64_t k
    cdef double top = max(f[e.label], f[rival])
    cdef double total = 0.0
    cdef double others = 0.0
    for k in range(ring.c.columns):
        e.share[k] = exp(f[k] - top)
        total += e.share[k]
    e.power = 0.0
    for k in range(ring.c.columns):
        e.share[k] = -e.share[k] / total
        if k != e.label:
            others -= e.share[k]
            e.power += e.share[k] * e.share[k]
    e.share[e.label] = others
    e.power += others * others


cdef inline void score_classes(SupportVectorRing ring, double y, Example* e) noexcept nogil:
    """Margin and shares of a row; not finite if a score is not. Ties go to the lowest class."""
    cdef double* f = &ring.class_scores[0, 0]
    cdef int64_t k
    cdef int64_t rival
    cdef double total = 0.0
    e.y = 1.0
    e.label = <int64_t>y
    e.share = &ring.class_scores[1, 0]
    class_row(ring, e.x, coefficients(ring), ring.function.scale, f)
    rival = 0 if e.label != 0 else 1
    for k in range(ring.c.columns):
        total += f[k]
        if k != e.label and f[k] > f[rival]:
            rival = k
    e.f = f[e.label] - f[rival] if isfinite(total) else NAN
    if ring.c.softmax:
        set_softmax_shares(ring, f, rival, e)
    else:
        set_hinge_shares(ring, rival, e)


cdef inline double share_weighted_score(SupportVectorRing ring, const Example* e) noexcept nogil:
    """sum_k share_k f_k, with the scores last computed."""
    cdef int64_t k
    cdef double total = 0.0
    for k in range(ring.c.columns):
        total += e.share[k] * ring.class_scores[0, k]
    return total
