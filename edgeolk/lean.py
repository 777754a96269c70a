"""Frozen dataclasses and annotations without what `dataclasses` and `typing` import.

Design: `edgeolk.bare` takes 2.9 MB above plain Python; 4.0 MB with `typing`, 5.6 MB with both, for
`inspect`, `re` and tools of the compiler that no learner needs. Type checkers use the originals.
Only what the library uses is here: no ``field``, no order, no slots. All records share a default,
so it must not be mutable.
"""

from __future__ import annotations

# Type checkers assume that a variable of this name is true.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from dataclasses import dataclass, replace
    from typing import Any, ClassVar
else:
    # Annotations are never evaluated.
    Any = ClassVar = object
    #: Marks a field without a default.
    _NEEDED = object()

    def dataclass(*, frozen, kw_only=False):
        """Turn a class into a record; it is always frozen."""

        def record(cls):
            fields = dict(getattr(cls, "__record__", {}))
            for name, kind in cls.__annotations__.items():
                if not kind.startswith("ClassVar"):
                    fields[name] = cls.__dict__.get(name, _NEEDED)
            cls.__record__ = fields
            cls.__init__ = _init_of(cls, fields, kw_only)
            cls.__setattr__ = cls.__delattr__ = _refuse
            cls.__replace__ = replace  # what `copy.replace` calls
            cls.__eq__, cls.__hash__ = _eq, _hash
            if "__repr__" not in cls.__dict__:
                cls.__repr__ = _repr
            return cls

        return record

    def replace(record, /, **changes):
        """A copy of the record with other values in some fields."""
        return type(record)(**{**vars(record), **changes})

    def _init_of(cls, fields, kw_only):
        """``__init__`` with explicit parameters, so that it has the right signature."""
        head = ["self", *(["*"] if kw_only else [])]
        for name, default in fields.items():
            head.append(name if default is _NEEDED else f"{name}=_fields[{name!r}]")
        values = ", ".join(f"{name}={name}" for name in fields)
        code = f"def __init__({', '.join(head)}):\n self.__dict__.update({values})\n"
        if hasattr(cls, "__post_init__"):
            code += " self.__post_init__()\n"
        namespace = {}
        exec(code, {"_fields": fields}, namespace)
        namespace["__init__"].__qualname__ = f"{cls.__qualname__}.__init__"
        return namespace["__init__"]

    def _eq(self, other):
        return vars(self) == vars(other) if type(self) is type(other) else NotImplemented

    def _hash(self):
        return hash(tuple(vars(self).values()))

    def _repr(self):
        fields = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__qualname__}({fields})"

    def _refuse(self, name, value=None):
        raise AttributeError(f"{name} of {type(self).__name__} cannot be changed")


__all__ = ["TYPE_CHECKING", "Any", "ClassVar", "dataclass", "replace"]
