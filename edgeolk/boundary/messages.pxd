"""What is told of an array that a call may not have."""


cdef inline str as_told(object array):
    """What kind of array something is."""
    if not hasattr(array, "flags"):
        return type(array).__name__
    kind = "" if array.flags.c_contiguous else "strided "
    if not array.flags.writeable:
        kind += "read-only "
    return f"{kind}{array.dtype} of shape {array.shape}"
