"""How one feature is scaled: loops/lines.h."""

from edgeolk.core.structs cimport olk_feature as Feature, olk_line


cdef extern from "lines.h" nogil:
    olk_line olk_settled(olk_line f, double size) noexcept
    olk_line olk_standard_line(const Feature* f, double clip) noexcept
    olk_line olk_range_line(const Feature* f, double clip, double least, double most) noexcept
    double olk_scaled_number(double centre, double rest, double half, double low, double high,
                             double x) noexcept
