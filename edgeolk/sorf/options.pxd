"""Written from the rows of edgeolk/parts by core/generate.py; do not edit."""

from libc.stdint cimport int32_t

from edgeolk.core.c cimport olk_sorf


cdef inline void fill_options(olk_sorf* p, object values) except *:
    """Set each member from the option of its name."""
    p.r = values["r"]
    p.sharp = values["sharp"]
    p.delta = values["delta"]
    p.cmin = values["cmin"]
    p.cmax = values["cmax"]
    p.shrink = values["shrink"]
    p.linear = <int32_t><double>values["linear"]
    p.last_label = <int32_t><double>values["last_label"]
    p.relevance = <int32_t><double>values["relevance"]
    p.groups = <int32_t><double>values["groups"]
    p.nu = values["nu"]
    p.window = values["window"]
    p.history = <int32_t><double>values["history"]
    p.drift = <int32_t><double>values["drift"]
    p.leak = values["leak"]
    p.memory = <int32_t><double>values["memory"]
    p.memory_narrow = <int32_t><double>values["memory_narrow"]
    p.constant = <int32_t><double>values["constant"]
    p.linear_group = <int32_t><double>values["linear_group"]
    p.delay = <int32_t><double>values["delay"]
    p.kept_answers = <int32_t><double>values["kept_answers"]
    p.gaussian_process = <int32_t><double>values["gaussian_process"]
