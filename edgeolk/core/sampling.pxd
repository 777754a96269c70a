"""Sampling: the probability with which an example that asks for an update gets it."""

from edgeolk.core.losses cimport hinge
from edgeolk.core.parts cimport SAMPLING_LOSS
from edgeolk.core.state cimport Example, Model


cdef inline double sampling_probability(const Model* m, const Example* e) noexcept nogil:
    if m.choice.sampling == SAMPLING_LOSS:
        if not e.self_kernel > 0.0:
            return 0.0
        # rho = min(alpha, l) / beta, l the hinge loss (Lu, Zhao & Hoi 2016, algorithm 1)
        return min(m.p.alpha, hinge(e.f, e.y)) / m.p.beta
    return 1.0
