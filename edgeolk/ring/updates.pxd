"""Updates of the ring family: which rows are learned, and with what coefficient."""

from libc.math cimport fabs, log, pow, sqrt
from libc.stdint cimport int64_t

from edgeolk.ring.expansion cimport kernel_row, rescale
from edgeolk.core.c cimport OLK_F64
from edgeolk.ring.loss_switch cimport loss_residual, loss_sign, loss_slope
from edgeolk.ring.losses cimport sigmoid, softplus
from edgeolk.core.parts cimport (
    SAMPLING_AUXILIARY, SAMPLING_DECAY, SAMPLING_DERIVATIVE, SAMPLING_LOSS, SAMPLING_MARGIN,
    SCHEDULE_DECAY, SCHEDULE_SQRT, UPDATE_LOGISTIC_CUT, UPDATE_LOGISTIC_SCALE,
    UPDATE_LOGISTIC_SHIFT,
)
from edgeolk.ring.ring cimport SupportVectorRing, take_vector, vectors_from, write_vector
from edgeolk.core.state cimport Example


cdef extern from "ring_holds.h" nogil:
    const double olk_min_pegasos_scale


# Updates by sign or margin: the perceptron, and its aggressive variant (Ahpatron, algorithm 1).

cdef inline bint perceptron_asks(SupportVectorRing ring, const Example* e) noexcept nogil:
    """y f <= 0, written so that NaN counts as a mistake."""
    return not (e.y * e.f > 0.0)


cdef inline bint margin_asks(SupportVectorRing ring, const Example* e) noexcept nogil:
    """y f < 1; a hint counts as part of the prediction."""
    return e.y * (e.f + e.hint) < 1.0


cdef inline double unit_coefficient(SupportVectorRing ring, const Example* e,
                                    double p) noexcept nogil:
    return e.y


cdef inline double shifting_rate(SupportVectorRing ring) noexcept nogil:
    """l_n = shift / (shift + n), n updates so far (Cavallanti, Cesa-Bianchi & Gentile 2007)."""
    return ring.c.p.shift / (ring.c.p.shift + <double>ring.m.updates)


cdef inline double shifting_coefficient(SupportVectorRing ring, const Example* e,
                                        double p) noexcept nogil:
    return e.y * shifting_rate(ring)


cdef inline void shifting_shrink(SupportVectorRing ring, double a, Example* e) noexcept nogil:
    """f <- (1 - l_n) f at every mistake but the first."""
    if a != 0.0 and ring.m.updates > 0:
        rescale(ring, 1.0 - shifting_rate(ring), e)


cdef inline bint aggressive_asks(SupportVectorRing ring, const Example* e) noexcept nogil:
    """y f < 1 - eps."""
    return e.y * e.f < 1.0 - ring.c.p.eps


cdef inline double aggressive_coefficient(SupportVectorRing ring, const Example* e,
                                          double p) noexcept nogil:
    """rate y; with rate = 0, U / sqrt(n) y at the n-th update."""
    if ring.c.p.rate > 0.0:
        return e.y * ring.c.p.rate
    return e.y * ring.c.p.U / sqrt(<double>(ring.m.updates + 1))


# Passive-aggressive updates: the smallest step that reduces the residual loss H to 0.
#
# H = max(0, 1 - y f), or with a tolerance max(0, |y - f| - epsilon), where the sign of y - f
# replaces y. tau is the size of the step.

cdef inline bint passive_aggressive_asks(SupportVectorRing ring, const Example* e) noexcept nogil:
    """H > 0; a row with k(x, x) = 0 cannot reduce H (sampling refuses it later)."""
    if ring.c.choice.sampling == SAMPLING_LOSS:
        return loss_residual(ring, e) > 0.0
    return loss_residual(ring, e) > 0.0 and e.self_kernel > 0.0


cdef inline double loss_drop(const Example* e) noexcept nogil:
    """Decrease of H per unit of tau: k(x, x), over all columns."""
    return e.self_kernel * e.power


cdef inline double pa_coefficient(SupportVectorRing ring, const Example* e,
                                  double p) noexcept nogil:
    """tau = H / k(x, x)."""
    return loss_sign(ring, e) * loss_residual(ring, e) / loss_drop(e)


cdef inline double pa1_coefficient(SupportVectorRing ring, const Example* e,
                                   double p) noexcept nogil:
    """... cut at C."""
    return loss_sign(ring, e) * min(ring.c.p.C * e.weight, loss_residual(ring, e) / loss_drop(e))


cdef inline double pa2_coefficient(SupportVectorRing ring, const Example* e,
                                   double p) noexcept nogil:
    """... damped by 1 / (2C)."""
    return loss_sign(ring, e) * loss_residual(ring, e) / (
        loss_drop(e) + 0.5 / (ring.c.p.C * e.weight))


cdef inline double sparse_pa_coefficient(SupportVectorRing ring, const Example* e,
                                         double p) noexcept nogil:
    """... cut at eta / p."""
    return loss_sign(ring, e) * min(ring.c.p.eta / p, loss_residual(ring, e) / loss_drop(e))


# Pegasos (Shalev-Shwartz et al. 2011): f = (1 / (lam t)) sum beta_i k_i with beta exact.

cdef inline double pegasos_scale(SupportVectorRing ring) noexcept nogil:
    """1 / (lam t), above 0 for any lam: coefficients are divided by it."""
    return max(1.0 / (ring.c.p.lam * <double>ring.m.steps), olk_min_pegasos_scale)


cdef inline double pegasos_coefficient(SupportVectorRing ring, const Example* e,
                                       double p) noexcept nogil:
    """y times the scale 1 / (lam t) of f from this step on, which stores exactly y."""
    return e.y * pegasos_scale(ring)


cdef inline void pegasos_shrink(SupportVectorRing ring, double a, Example* e) noexcept nogil:
    """The scale is set, not multiplied, so that rounding does not accumulate."""
    cdef double scale = pegasos_scale(ring)
    cdef double factor = scale / ring.function.scale
    e.f *= factor
    # In this order: the square of factor may overflow while the norm is 0.
    ring.function.norm2 = ring.function.norm2 * factor * factor
    ring.function.scale = scale


# Stochastic gradient steps in the kernel's space: -eta_t l'(f) / p.

cdef inline double step_size(SupportVectorRing ring) noexcept nogil:
    """eta_t, t counting every example from 1; a Nystrom learner has eta2 once it has features."""
    cdef double eta = ring.c.p.eta
    if ring.nystrom != NULL and ring.nystrom.rank > 0:
        eta = ring.c.p.eta2
    if ring.c.choice.schedule == SCHEDULE_SQRT:
        return eta / sqrt(<double>ring.m.steps)
    if ring.c.choice.schedule == SCHEDULE_DECAY:
        return eta * pow(<double>ring.m.steps, -0.5 * (1.0 + ring.c.p.decay))
    return eta


cdef inline bint gradient_asks(SupportVectorRing ring, Example* e) noexcept nogil:
    if ring.c.softmax:
        return e.share[e.label] > 0.0
    e.slope = loss_slope(ring, e)
    return e.slope != 0.0


cdef inline double gradient_coefficient(SupportVectorRing ring, const Example* e,
                                        double p) noexcept nogil:
    """-eta_t l' / p; for softmax the shares are -l'."""
    cdef double step = step_size(ring) * e.weight
    if ring.c.softmax:
        return step / p
    return -step * e.slope / p


cdef inline void gradient_shrink(SupportVectorRing ring, double a, Example* e) noexcept nogil:
    """f <- (1 - eta lam) f, every step; the threshold of novelty moves too."""
    cdef double factor = 1.0 - ring.c.p.eta * ring.c.p.lam
    cdef double step
    if factor != 1.0:
        rescale(ring, factor, e)
    if ring.novelty != NULL:
        step = step_size(ring) * e.weight
        if a != 0.0:
            ring.novelty[0] -= step * (1.0 - ring.c.p.nu)
        else:
            ring.novelty[0] += step * ring.c.p.nu


# Sparse kernel logistic regression (Zhang, Jin, Chen, Bu & He 2012): -eta h'(y f), without 1/p.
#
# The auxiliary functions h bound the loss l from above; sampling with p = l / h compensates.

cdef inline double auxiliary_derivative(SupportVectorRing ring, double z) noexcept nogil:
    """h'(z): 0 beyond delta for the cut."""
    if ring.c.choice.update == UPDATE_LOGISTIC_SHIFT:
        return -sigmoid(-z - log(ring.c.p.boost))
    if ring.c.choice.update == UPDATE_LOGISTIC_SCALE:
        return -sigmoid(log(ring.c.p.boost) - z)
    if ring.c.choice.update == UPDATE_LOGISTIC_CUT and z > ring.c.p.delta:
        return 0.0
    return -sigmoid(-z)


cdef inline bint logistic_asks(SupportVectorRing ring, const Example* e) noexcept nogil:
    if ring.c.softmax:
        return e.share[e.label] > 0.0
    return auxiliary_derivative(ring, e.y * e.f) != 0.0


cdef inline double logistic_coefficient(SupportVectorRing ring, const Example* e,
                                        double p) noexcept nogil:
    """For softmax the shares are -l'."""
    if ring.c.softmax:
        return ring.c.p.eta * e.weight
    return -ring.c.p.eta * e.weight * e.y * auxiliary_derivative(ring, e.y * e.f)


# Sampling: the probability that an example which calls for an update is used.

cdef inline double auxiliary_probability(SupportVectorRing ring, double z) noexcept nogil:
    """p = l(z) / h(z), l = ln(1 + exp(-z)) (Zhang et al. 2012, section on auxiliary functions)."""
    cdef double gap = log(ring.c.p.boost)
    cdef double h
    if ring.c.choice.update == UPDATE_LOGISTIC_SHIFT:
        h = gap + softplus(-z - gap)
        return softplus(-z) / h if h > 0.0 else 1.0
    if ring.c.choice.update == UPDATE_LOGISTIC_SCALE:
        h = softplus(gap - z)
        return softplus(-z) / h if h > 0.0 else 1.0 / ring.c.p.boost
    return 1.0


cdef inline double sampling_probability(SupportVectorRing ring, const Example* e) noexcept nogil:
    cdef int sampling = ring.c.choice.sampling
    cdef double t
    if sampling == SAMPLING_LOSS:
        if not e.self_kernel > 0.0:
            return 0.0
        # rho = min(alpha, l) / beta, l the hinge loss (Lu, Zhao & Hoi 2016, algorithm 1)
        return min(ring.c.p.alpha, loss_residual(ring, e)) / ring.c.p.beta
    if sampling == SAMPLING_DECAY:
        t = <double>ring.m.steps if ring.c.choice.schedule == SCHEDULE_DECAY else ring.c.p.horizon
        return min(1.0, ring.c.p.c * pow(t, -ring.c.p.decay))
    if sampling == SAMPLING_DERIVATIVE:
        if ring.c.softmax:
            return e.share[e.label] / ring.c.p.G  # 1 - p, the derivative by the score of the class
        return fabs(loss_slope(ring, e)) / ring.c.p.G
    if sampling == SAMPLING_MARGIN:
        return (2.0 - ring.c.p.eta) / (2.0 - ring.c.p.eta + ring.c.p.eta * sigmoid(e.y * e.f))
    if sampling == SAMPLING_AUXILIARY:
        return auxiliary_probability(ring, e.y * e.f)
    return 1.0


# The window of recent examples from which an optimistic learner predicts the next gradient.

cdef inline int64_t window_length(SupportVectorRing ring) noexcept nogil:
    return min(ring.c.window_rows, ring.hints.seen)


cdef inline double window_hint(SupportVectorRing ring, const void* x) noexcept nogil:
    """(1/q) sum over the window of y_r k(x_r, x); 0 while it is empty."""
    cdef int64_t q = window_length(ring)
    cdef double total
    if q == 0:
        return 0.0
    total = ring.row_fn(
        &ring.c.kernel, vectors_from(ring.window, 0), NULL, &ring.s.quantizer, ring.window.stride,
        q, ring.c.n_features, x, OLK_F64, &ring.window_y[0], NULL, NULL)
    return total / <double>q


cdef inline double window_correlation(SupportVectorRing ring, const double* beta) noexcept nogil:
    """(1/q) sum over the window of y_r sum_j beta_j k(s_j, x_r); uses the column scratch."""
    cdef int64_t q = window_length(ring)
    cdef int64_t r
    cdef const void* x
    cdef double total = 0.0
    if q == 0:
        return 0.0
    for r in range(q):
        x = take_vector(ring, ring.window, r)
        total += ring.window_y[r] * kernel_row(ring, x, beta, NULL)
    return total / <double>q


cdef inline void window_push(SupportVectorRing ring, const void* x, double y) noexcept nogil:
    """Add an example, whether or not it caused an update."""
    cdef int64_t slot = ring.hints.seen % ring.c.window_rows
    write_vector(ring.window, slot, x)
    ring.window_y[slot] = y
    ring.hints.seen += 1


# Optimistic mirror descent (POMDR, Li & Liao 2023): an adaptive rate that trusts good hints.

cdef inline double optimistic_rate(SupportVectorRing ring) noexcept nogil:
    """c U / sqrt(3 + S), c = 1 before the first halving, coe after it."""
    cdef double c = 1.0 if ring.halving.count == 0 else ring.c.p.coe
    return c * ring.c.p.U / sqrt(3.0 + ring.hints.error)


cdef inline double optimistic_coefficient(SupportVectorRing ring, const Example* e,
                                          double p) noexcept nogil:
    return e.y * optimistic_rate(ring)


cdef inline void optimistic_begin(SupportVectorRing ring, Example* e) noexcept nogil:
    """The prediction includes the hint of the recent examples."""
    e.hint = optimistic_rate(ring) * window_hint(ring, e.x)


cdef inline void optimistic_end(SupportVectorRing ring, const Example* e) noexcept nogil:
    """Add every example to the window."""
    window_push(ring, e.x, e.y)


# The threshold subtracted from f.

cdef inline double threshold(SupportVectorRing ring) noexcept nogil:
    """rho for novelty, else 0."""
    return ring.novelty[0] if ring.novelty != NULL else 0.0
