"""One switch a row over the budget policies."""

from edgeolk.core.expansion cimport put
from edgeolk.core.parts cimport (
    POLICY_FORGETRON, POLICY_HALVE, POLICY_RAISE, POLICY_SIMPLE, POLICY_STOP, POLICY_UNBIASED,
)
from edgeolk.core.policies.budgeted_pa cimport admit_simple
from edgeolk.core.policies.forgetron cimport admit_forgetron
from edgeolk.core.policies.halving cimport admit_halving
from edgeolk.core.policies.replacement cimport admit_replacing, admit_unbiased
from edgeolk.core.state cimport Example, Model, State


cdef inline bint policy_freezes(const Model* m) noexcept nogil:
    """Whether a full ring admits nobody."""
    return m.choice.policy == POLICY_STOP or m.choice.policy == POLICY_RAISE


cdef inline bint admit(State* s, double a, Example* e) noexcept nogil:
    """Bring a k(x, .) into f within the budget; False if the model was left as it was."""
    cdef int policy = s.m.choice.policy
    if policy_freezes(s.m):
        put(s, s.m.n, a, e)
        return True
    if policy == POLICY_FORGETRON:
        return admit_forgetron(s, a, e)
    if policy == POLICY_SIMPLE:
        return admit_simple(s, a, e)
    if policy == POLICY_UNBIASED:
        return admit_unbiased(s, a, e)
    if policy == POLICY_HALVE:
        return admit_halving(s, a, e)
    return admit_replacing(s, a, e)
