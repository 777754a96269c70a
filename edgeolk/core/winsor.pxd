"""Mean and standard deviation of one sensor that sends nonsense now and then.

Design. Winsorised exponential moments. A reading farther than k deviations from the mean counts as
one that far (Huber's psi, Ann. Math. Stat. 35, 1964), so that no reading, whatever it holds, moves
the mean by more than k g deviations, or the deviation by more than a factor sqrt(1 + k^2 g). The
gain g of the t-th reading is max(3 / (t + 2), 1 / window):

- 3 / (t + 2) gives the reading j a weight of about (j/t)^2. What was wrong at the start is
  forgotten as t^-3, where equal weights forget it as t^-1.
- 1 / window goes on forgetting, so that a change of level is followed in a stated time.

A change of level is clipped too, but then every reading is, and the deviation grows by a factor of
about exp(k^2 g / 2) at each until the new level is within k of it. It shrinks by exp(-g / 2) at
most. Nonsense that comes in fewer than one reading out of k^2 is therefore bounded for ever.

The start is the median of the first three readings and its distance from the nearer of the others.
A feature that was constant so far has no deviation to clip by: a lone reading off it is held and
not learned, and when a second one comes, the nearer of the two becomes the deviation.

The deviation is kept itself, not its square, and changed by factors: sd' = sd sqrt((1 - g)(1 + g
r^2)) with r = (x - mean) / sd, |r| <= k. So 1e200 does not overflow, 1e-200 does not vanish, and no
unit is needed. Distances are halves, because the difference of two float64 overflows.

Rejected: quantile sketches. P-square lets the largest reading pull its neighbours. Quartiles by
stochastic approximation take 10 times as long to follow a shift of 100 deviations, and are equal
where a sensor is quiet more than half of the time: 3 of 7 columns of elec2, 23 of 24 of smap.

CONVENTION, true between any two readings; feature_holds checks it:
- age is 0 before the first reading; age 1: mean and held are x1; age 2: mean is x1, held is x2;
- mean, low, sd, held are finite; low is at most one last bit of mean;
- sd is 0, or above the rounding of mean and its half among the normal numbers;
- where sd is 0, held is the reading that waits, or mean if none does; elsewhere held is 0.
"""

from libc.float cimport DBL_EPSILON, DBL_MAX, DBL_MIN
from libc.math cimport copysign, fabs, fmax, fmin, isfinite, ldexp, sqrt
from libc.stdint cimport int64_t, uint32_t

cdef enum:
    START = 3                 # readings that the start is the median of

cdef extern from "<stdint.h>" nogil:
    const uint32_t UINT32_MAX


cdef struct Feature:
    # 40 bytes, the same on 32 and 64 bits; part of the file format. All zero: nothing seen.
    double mean               # of the readings: mean + low, see moments.pxd
    double low
    double sd                 # standard deviation (population); 0: none
    double held               # a reading off a constant feature that waits for a second
    uint32_t age              # readings since the deviation was set anew; stops at its largest
    uint32_t clipped          # readings beyond clip deviations; stops at its largest


cdef inline bint no_spread(double sd, double size) noexcept nogil:
    """Within 64 units in the last place of the numbers themselves, which is the rounding of what
    made them; or so small that its half, by which readings are divided, is no normal number."""
    return sd <= 64.0 * DBL_EPSILON * size or sd < 2.0 * DBL_MIN


cdef inline double half_distance(const Feature* f, double x) noexcept nogil:
    return (0.5 * x - 0.5 * f.mean) - 0.5 * f.low


cdef inline void count_clipped(Feature* f) noexcept nogil:
    if f.clipped < UINT32_MAX:
        f.clipped += 1


cdef inline void set_spread(Feature* f, double sd) noexcept nogil:
    f.sd = fmin(sd, DBL_MAX)
    f.held = 0.0
    if no_spread(f.sd, fabs(f.mean)):
        f.sd = 0.0
        f.held = f.mean


cdef inline void move_mean(Feature* f, double step) noexcept nogil:
    """mean + low + step as a pair (Knuth's two-sum)."""
    cdef double small = f.low + step
    cdef double total = f.mean + small
    cdef double part = total - f.mean
    f.low = (f.mean - (total - part)) + (small - part)
    f.mean = total


cdef inline void start(Feature* f, double x) noexcept nogil:
    """The first three readings: f.age counts this one."""
    cdef double least, most, middle
    if f.age < START:
        f.held = x
        if f.age == 1:
            f.mean = x
        return
    least = fmin(f.mean, f.held)
    most = fmax(f.mean, f.held)
    middle = fmax(least, fmin(x, most))
    least = fmin(least, x)
    most = fmax(most, x)
    f.mean = middle
    set_spread(f, 2.0 * fmin(0.5 * middle - 0.5 * least, 0.5 * most - 0.5 * middle))


cdef inline void wake(Feature* f, double x) noexcept nogil:
    """A reading of a feature that was constant so far."""
    cdef double half = fabs(half_distance(f, x))
    if no_spread(2.0 * half, fabs(f.mean)):
        return
    if f.held == f.mean:
        f.held = x
        count_clipped(f)
        return
    set_spread(f, 2.0 * fmin(half, fabs(half_distance(f, f.held))))
    f.age = START


cdef inline void learn_reading(
    Feature* f, double x, double clip, double least_gain
) noexcept nogil:
    """One finite reading into the statistics; clip >= 2, 0 <= least_gain <= 1/2."""
    cdef double half, limit, gain, r
    if f.age < UINT32_MAX:
        f.age += 1
    if f.age <= START:
        start(f, x)
        return
    if f.sd == 0.0:
        wake(f, x)
        return
    # x' = x, no farther than clip sd from the mean
    half = half_distance(f, x)
    limit = 0.5 * clip * f.sd
    if not fabs(half) <= limit:
        half = copysign(limit, half)
        count_clipped(f)
    # mean' = mean + g (x' - mean);  sd'^2 = (1 - g) (sd^2 + g (x' - mean)^2)
    gain = fmax(3.0 / (f.age + 2.0), least_gain)
    r = half / (0.5 * f.sd)
    move_mean(f, 2.0 * (gain * half))
    set_spread(f, f.sd * sqrt((1.0 - gain) * (1.0 + gain * r * r)))


cdef inline bint beyond(const Feature* f, double x, double clip) noexcept nogil:
    return f.sd > 0.0 and fabs(half_distance(f, x)) > 0.5 * clip * f.sd


cdef inline bint feature_holds(const Feature* f, int64_t n_seen, bint frozen) noexcept nogil:
    """Whether the CONVENTION holds after n_seen readings; nothing is taken for granted."""
    if not (
        isfinite(f.mean)
        and fabs(f.low) <= ldexp(fabs(f.mean), -52)
        and 0.0 <= f.sd <= DBL_MAX
        and isfinite(f.held)
        and f.age <= n_seen
        and (f.age >= START or f.age == n_seen)
        and (frozen or f.clipped <= n_seen)
    ):
        return False
    if f.age == 0:
        return f.mean == 0.0 and f.sd == 0.0 and f.held == 0.0
    if f.age < START:
        return f.sd == 0.0 and f.low == 0.0 and (f.age > 1 or f.held == f.mean)
    return f.sd == 0.0 or (f.held == 0.0 and not no_spread(f.sd, fabs(f.mean)))
