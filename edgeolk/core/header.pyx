"""The header of a block: written for a new model, read back trusting nothing.

The format has a version of its own, apart from the package's: files outlive releases.
"""

from libc.stdint cimport int32_t
from libc.string cimport memcpy

from edgeolk.core.parts cimport BASIS_FOURIER, Choices, Params
from edgeolk.core.rng cimport seed_rng
from edgeolk.core.state cimport Model

MAGIC = b"edgeolk\0"
FORMAT_VERSION = 2
HEADER_BYTES = sizeof(Model)
CRC_OFFSET = 12  # magic[8], format_version


cdef int write_header(Model* m, object config, Py_ssize_t length) except -1:
    """Header of a model that has seen nothing."""
    cdef int32_t* choice = <int32_t*>&m.choice
    cdef double* param = <double*>&m.p
    cdef Py_ssize_t i
    memcpy(m.magic, <const char*><bytes>MAGIC, 8)
    m.format_version = FORMAT_VERSION
    m.nbytes = length
    m.n_features = config.n_features
    m.budget = config.budget
    m.stride = config.stride
    m.seed = config.seed
    m.algorithm = config.algorithm
    m.tracks_norm = config.tracks_norm
    for i, value in enumerate(config.choices):
        choice[i] = value
    for i, value in enumerate(config.params):
        param[i] = value
    m.kernel.kind, m.kernel.degree = config.kernel_fields[:2]
    m.kernel.gamma, m.kernel.scale, m.kernel.offset = config.kernel_fields[2:]
    m.scale = 1.0
    if m.choice.basis == BASIS_FOURIER:
        m.n = m.budget
    seed_rng(&m.rng, m.seed)
    return 0


def read_header(block):
    """Configuration fields of a block, none of them trusted.

    Parameters
    ----------
    block : buffer
        At least ``HEADER_BYTES`` bytes.

    Raises
    ------
    ValueError
        Too short, or not a model of this format.
    """
    cdef Model model
    cdef const unsigned char[::1] data = memoryview(block).cast("B")
    cdef int32_t* choice = <int32_t*>&model.choice
    cdef double* param = <double*>&model.p
    cdef Py_ssize_t i
    if data.shape[0] < <Py_ssize_t>sizeof(Model):
        raise ValueError(f"not a model: {data.shape[0]} bytes, a header alone has {sizeof(Model)}")
    memcpy(&model, &data[0], sizeof(Model))
    if model.magic[:8] != MAGIC:
        raise ValueError("not a model: the first 8 bytes are not the mark of an edgeolk block")
    if model.format_version != FORMAT_VERSION:
        raise ValueError(
            f"model format {model.format_version}; this version reads {FORMAT_VERSION}")
    return {
        "nbytes": model.nbytes,
        "n_features": model.n_features,
        "budget": model.budget,
        "stride": model.stride,
        "seed": model.seed,
        "algorithm": model.algorithm,
        "tracks_norm": model.tracks_norm,
        "choices": tuple(choice[i] for i in range(sizeof(Choices) // sizeof(int32_t))),
        "params": tuple(param[i] for i in range(sizeof(Params) // sizeof(double))),
        "kernel_fields": (model.kernel.kind, model.kernel.degree, model.kernel.gamma,
                          model.kernel.scale, model.kernel.offset),
        "n_support": model.n,
        "steps": model.steps,
        "mistakes": model.mistakes,
        "updates": model.updates,
        "capacity_hits": model.capacity_hits,
        "cursor": model.cursor,
        "removals": model.removals,
        "labels_asked": model.labels_asked,
        "rank": model.rank,
        "halvings": model.halvings,
        "seen": model.seen,
        "anchored": model.anchored,
        "scale": model.scale,
        "norm2": model.norm2,
        "mean_weight": model.mean_weight,
        "squared_error": model.squared_error,
        "forgetron_q": model.forgetron_q,
        "hint_error": model.hint_error,
    }
