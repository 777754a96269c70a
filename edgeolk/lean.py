"""What modules of `edgeolk.bare` use of `dataclasses` and `typing`, without what these import.

Design: the two bring `inspect`, tools of the compiler and `re`: half of what a process would pay
for `edgeolk.bare`. Type checkers read the originals. A record here is a frozen dataclass: arguments
by position or name, defaults, ``__post_init__``, equality, hash, repr, no assignment. There is no
more to it: no `dataclasses.fields`, no order, no slots.
"""

from __future__ import annotations

# Type checkers take a variable of this name to be true.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
    from typing import Any, ClassVar, NamedTuple, TypeVar, cast
else:
    from collections import namedtuple

    # Annotations are never evaluated.
    Any = ClassVar = object

    def TypeVar(name):
        """A stand-in in annotations."""
        return name

    def cast(kind, value):
        """The value, which is known to be of that type."""
        return value

    class _Named(type):
        def __new__(cls, name, bases, body):
            fields = body["__annotations__"]
            defaults = [body[field] for field in fields if field in body]
            made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])
            made.__doc__ = body["__doc__"]
            for member, value in body.items():
                if member not in fields and not member.startswith("__"):
                    setattr(made, member, value)
            return made

    #: The base of a class that becomes a tuple with names, those annotated in its body.
    NamedTuple = type.__new__(_Named, "NamedTuple", (), {})

    class field:  # noqa: N801
        """A default that is made anew for each record, or one that equality does not look at."""

        def __init__(self, *, default=None, default_factory=None, compare=True):
            self.make = default_factory or (lambda: default)
            self.compare = compare

        def take(self, given):
            """What was given, or the default."""
            return self.make() if given is self else given

    #: In place of a default: there is none.
    _NEEDED = object()

    def dataclass(*, frozen, kw_only=False, eq=True):
        """Make a class a record; frozen it is in any case."""

        def record(cls):
            fields = dict(getattr(cls, "__record__", {}))
            for name, kind in cls.__annotations__.items():
                if not kind.startswith("ClassVar"):
                    fields[name] = cls.__dict__.get(name, _NEEDED)
                    if isinstance(fields[name], field):
                        delattr(cls, name)
            cls.__record__ = fields
            cls.__init__ = _init_of(cls, fields, kw_only)
            cls.__setattr__ = cls.__delattr__ = _refuse
            cls.__replace__ = replace  # what `copy.replace` calls
            if eq:
                cls.__eq__, cls.__hash__ = _eq, _hash
            if "__repr__" not in cls.__dict__:
                cls.__repr__ = _repr
            return cls

        return record

    def replace(record, /, **changes):
        """The record with other values in some fields."""
        return type(record)(**{**_values(record), **changes})

    def _init_of(cls, fields, kw_only):
        """``__init__`` as it would be written by hand, so that its signature can be read."""
        head, values = ["self", *(["*"] if kw_only else [])], []
        for name, default in fields.items():
            head.append(name if default is _NEEDED else f"{name}=_fields[{name!r}]")
            taken = f"_fields[{name!r}].take({name})" if isinstance(default, field) else name
            values.append(f"{name}={taken}")
        code = f"def __init__({', '.join(head)}):\n self.__dict__.update({', '.join(values)})\n"
        if hasattr(cls, "__post_init__"):
            code += " self.__post_init__()\n"
        made = {}
        exec(code, {"_fields": fields}, made)
        made["__init__"].__qualname__ = f"{cls.__qualname__}.__init__"
        return made["__init__"]

    def _values(record):
        return {name: record.__dict__[name] for name in record.__record__}

    def _compared(record):
        return tuple(
            record.__dict__[name]
            for name, default in record.__record__.items()
            if not (isinstance(default, field) and not default.compare)
        )

    def _eq(self, other):
        return _compared(self) == _compared(other) if type(self) is type(other) else NotImplemented

    def _hash(self):
        return hash(_compared(self))

    def _repr(self):
        said = ", ".join(f"{name}={value!r}" for name, value in _values(self).items())
        return f"{type(self).__qualname__}({said})"

    def _refuse(self, name, value=None):
        raise AttributeError(f"{name} of {type(self).__name__} cannot be changed")


__all__ = [
    "TYPE_CHECKING",
    "Any",
    "ClassVar",
    "NamedTuple",
    "TypeVar",
    "cast",
    "dataclass",
    "field",
    "replace",
]
