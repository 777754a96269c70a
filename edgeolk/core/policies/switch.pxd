"""One switch a row over the budget policies."""

from edgeolk.core.expansion cimport put
from edgeolk.core.features.basis cimport admit_features, uses_features
from edgeolk.core.features.nystrom cimport change_basis
from edgeolk.core.parts cimport (
    BASIS_NYSTROM, BASIS_SUPPORT_VECTORS, POLICY_ANCHOR, POLICY_FORGETRON, POLICY_FORGETRON_BASIC,
    POLICY_FORGETRON_GREEDY, POLICY_HALVE, POLICY_LIGHTEST, POLICY_LIGHTEST_PROJECT, POLICY_MERGE,
    POLICY_NEAREST, POLICY_PROJECT, POLICY_RAISE, POLICY_SIMPLE, POLICY_SPAN, POLICY_STOP,
    POLICY_UNBIASED, POLICY_UNBIASED_BY_SIZE,
)
from edgeolk.core.policies.anchor cimport admit_anchored
from edgeolk.core.policies.budgeted_pa cimport admit_nearest, admit_project, admit_simple
from edgeolk.core.policies.forgetron cimport admit_forgetron, admit_forgetron_basic
from edgeolk.core.policies.greedy_forgetron cimport admit_forgetron_greedy
from edgeolk.core.policies.halving cimport admit_halving
from edgeolk.core.policies.lightest cimport admit_lightest, admit_lightest_project
from edgeolk.core.policies.projectron cimport admit_span
from edgeolk.core.policies.replacement cimport (
    admit_replacing, admit_unbiased, admit_unbiased_by_size,
)
from edgeolk.core.state cimport Example, Model, State


cdef inline bint is_frozen(const Model* m) noexcept nogil:
    """Whether the ring is full and admits nobody."""
    return (m.n == m.budget and m.choice.basis == BASIS_SUPPORT_VECTORS
            and (m.choice.policy == POLICY_STOP or m.choice.policy == POLICY_RAISE))


cdef inline bint admit(State* s, double a, Example* e) noexcept nogil:
    """Bring a k(x, .) into f within the budget; False if the model was left as it was."""
    cdef Model* m = s.m
    cdef int policy = m.choice.policy
    if uses_features(m):
        return admit_features(s, a, e)
    if policy == POLICY_STOP or policy == POLICY_RAISE:
        put(s, m.n, a, e)
        if m.choice.basis == BASIS_NYSTROM and m.n == m.budget:
            change_basis(s)
        return True
    if policy == POLICY_FORGETRON:
        return admit_forgetron(s, a, e)
    if policy == POLICY_FORGETRON_GREEDY:
        return admit_forgetron_greedy(s, a, e)
    if policy == POLICY_FORGETRON_BASIC:
        return admit_forgetron_basic(s, a, e)
    if policy == POLICY_SIMPLE:
        return admit_simple(s, a, e)
    if policy == POLICY_NEAREST:
        return admit_nearest(s, a, e)
    if policy == POLICY_PROJECT:
        return admit_project(s, a, e)
    if policy == POLICY_UNBIASED:
        return admit_unbiased(s, a, e)
    if policy == POLICY_UNBIASED_BY_SIZE:
        return admit_unbiased_by_size(s, a, e)
    if policy == POLICY_HALVE:
        return admit_halving(s, a, e)
    if policy == POLICY_SPAN:
        return admit_span(s, a, e)
    if policy == POLICY_LIGHTEST or policy == POLICY_MERGE:
        return admit_lightest(s, a, e)
    if policy == POLICY_LIGHTEST_PROJECT:
        return admit_lightest_project(s, a, e)
    if policy == POLICY_ANCHOR:
        return admit_anchored(s, a, e)
    return admit_replacing(s, a, e)
