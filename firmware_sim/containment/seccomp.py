"""Limits that a process sets for itself: from then on, no more memory from the kernel.

Does not import numpy: the learner's child process imports this module.
"""

from __future__ import annotations

import ctypes
import platform
import struct

#: Kernel's name of the architecture, and numbers of mmap, mremap and brk.
SYSCALLS = {"x86_64": (0xC000003E, 9, 25, 12), "aarch64": (0xC00000B7, 222, 216, 214)}

_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER = 38, 22, 2
_KILL, _ALLOW = 0x80000000, 0x7FFF0000
_LOAD, _EQUAL, _ABOVE, _RETURN = 0x20, 0x15, 0x25, 0x06  # BPF: ld [k], jeq, jgt, ret
_NUMBER, _ARCH, _LOW, _HIGH = 0, 4, 16, 20  # where seccomp_data has them; argument 0 in halves


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def growth_filter(machine: str, limit: int) -> bytes:
    """Return the BPF program that kills on mmap, mremap, and brk beyond an address.

    machine: the result of ``platform.machine()``.
    limit: highest break allowed. A break beyond it kills instead of failing: after a failure the C
        library would request a mapping.
    Raises OSError: no system call numbers are known for the machine.
    """
    if machine not in SYSCALLS:
        raise OSError(f"no system call numbers for {machine}")
    arch, new_map, remap, brk = SYSCALLS[machine]
    high, low = limit >> 32, limit & 0xFFFFFFFF
    lines = [
        (_LOAD, 0, 0, _ARCH),
        (_EQUAL, 1, 0, arch),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_EQUAL, 7, 0, new_map),
        (_EQUAL, 6, 0, remap),
        (_EQUAL, 0, 6, brk),
        (_LOAD, 0, 0, _HIGH),
        (_ABOVE, 3, 0, high),
        (_EQUAL, 0, 3, high),
        (_LOAD, 0, 0, _LOW),
        (_ABOVE, 0, 1, low),
        (_RETURN, 0, 0, _KILL),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


def forbid_growth() -> None:
    """Have the kernel kill this process when it requests more memory.

    Raises OSError: the kernel or the machine does not support it.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    libc.sbrk.restype = ctypes.c_void_p
    libc.sbrk.argtypes = (ctypes.c_ssize_t,)
    code = growth_filter(platform.machine(), int(libc.sbrk(0) or 0))
    program = _Program(len(code) // 8, code)
    libc.prctl.argtypes = (ctypes.c_int, *4 * (ctypes.c_void_p,))
    for request in (
        (_NO_NEW_PRIVS, 1, 0),
        (_SET_SECCOMP, _FILTER, ctypes.addressof(program)),
    ):
        if libc.prctl(*request, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "the kernel takes no seccomp filter")


def limit_address_space() -> None:
    """Set RLIMIT_AS to the current size: allocations beyond it fail.

    Raises OSError, ValueError: the size cannot be read or the limit cannot be set.
    """
    import resource  # POSIX only

    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[0])
    size = pages * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
