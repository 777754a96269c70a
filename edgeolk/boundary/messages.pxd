"""Error messages for unsupported arrays."""


cdef inline str describe_array(object array):
    """Kind, type and shape of an array, for a message."""
    if not hasattr(array, "flags"):
        return type(array).__name__
    kind = "" if array.flags.c_contiguous else "strided "
    if not array.flags.writeable:
        kind += "read-only "
    return f"{kind}{array.dtype} of shape {array.shape}"
