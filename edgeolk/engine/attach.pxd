"""Sets the pointers of the struct to the regions of a block, once.

``places`` maps the name of each region to its address.
"""

from libc.stdint cimport int32_t, uint8_t

from edgeolk.core.c cimport (
    OLK_F32, OLK_F64, olk_constants, olk_intake, olk_intake_attach, olk_intake_start_width,
    olk_model_attach,
)
from edgeolk.core.state cimport Errors, Skipped, State
from edgeolk.sorf.tables cimport functions_for
from edgeolk.core.preprocessing cimport use_width


cdef inline void* at(dict places, str name) except? NULL:
    """Address of a region, or NULL."""
    return <void*><size_t>places.get(name, 0)


cdef inline int attach(State* s, dict places) except -1:
    """Pointers that all kinds of learners have."""
    s.errors = <Errors*>at(places, "errors")
    s.skipped = <Skipped*>at(places, "skipped")
    s.novelty = <double*>at(places, "novelty")
    s.quantizer.scale = <const float*>at(places, "levels")
    s.quantizer.offset = NULL
    if s.quantizer.scale != NULL:
        s.quantizer.offset = s.quantizer.scale + s.c.n_features
    s.query = at(places, "query")
    s.nonzero_index = <int32_t*>at(places, "nonzero_index")
    s.nonzero_value = at(places, "nonzero_value")
    return 0


cdef inline void attach_process(State* s) noexcept:
    """The functions of a Gaussian process beside the features, for this processor."""
    cdef int type = OLK_F64 if s.setup.wide else OLK_F32
    s.process.begin = s.simd.auto_begin[type]
    s.process.learn = s.simd.auto_learn[type]
    s.process.answer = s.simd.auto_answer[type]
    s.sorf.constants.process = &s.process


cdef inline void attach_sorf(State* s) noexcept:
    """The model of structured features, whose setup is filled, in the block."""
    cdef olk_constants* constants = &s.sorf.constants
    s.sorf.setup = &s.setup
    constants.sorf = &s.setup.sorf
    constants.forecast = &s.setup.forecast
    constants.widths = s.setup.widths
    constants.ops = functions_for(s.c.choice.dtype)
    attach_process(s)
    olk_model_attach(&s.sorf, <uint8_t*>s.m)
    if s.setup.at.query:
        s.query = <char*>s.m + s.setup.at.query


cdef inline void attach_preprocessing(State* s) noexcept:
    """The intake of rows, whose setup is filled, in the block, and the width if it is known."""
    cdef olk_intake* intake = &s.preprocessing.intake
    olk_intake_attach(intake, &s.setup, <uint8_t*>s.m)
    intake.learn_readings = s.simd.learn_readings
    if s.setup.preprocessing.follows:
        olk_intake_start_width(intake, s.setup.sorf.d)
    if s.setup.preprocessing.follows or s.setup.preprocessing.gamma_rows > 0:
        use_width(s)
