"""Saving, loading and pickling of learners.

The readers and writers of files are imported when first used: they take a third of the time of
importing a learner, and most programs start without a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from edgeolk.block import over

if TYPE_CHECKING:
    from typing_extensions import Self

    from edgeolk.configuration.settings import Settings
    from edgeolk.core.arena import Arena
    from edgeolk.engine.engine import Engine
    from edgeolk.files.atomic import Path


class Storing:
    """Adds saving to a learner; subclasses set ``_config`` and ``_engine``."""

    __slots__ = ()

    _config: Settings
    _engine: Engine

    def _start(self, config: Settings, engine: Engine) -> None:
        raise NotImplementedError

    @classmethod
    def _from_block(cls, block: bytes) -> Self:
        from edgeolk.files import restore

        return cls._over(*restore.from_bytes(block))

    @classmethod
    def _over(cls, config: Settings, arena: Arena) -> Self:
        """A learner over a block that has been checked."""
        learner = cls.__new__(cls)
        learner._start(config, over(config, arena))
        return learner

    def _sealed(self) -> bytearray:
        """The bytes of a model file."""
        from edgeolk.files import v3

        self._engine.check_idle()
        with memoryview(self._engine.arena) as block:
            return v3.written(block)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._from_block, (bytes(self._sealed()),)

    def seal(self) -> None:
        """Write checksums into the block, so that ``attach`` can tell whether it has changed.

        For a block in memory that outlives the process. The next learned row removes the seal, and
        so do ``restart``, ``accept`` and an answer that ``lapse`` counts.

        Raises
        ------
        ValueError
            The learner was made without ``checksums=True``.
        """
        from edgeolk.files import checksums

        self._engine.check_idle()

        if checksums.NAME not in self._config.values:
            raise ValueError("seal needs a learner created with checksums=True")

        with memoryview(self._engine.arena) as block:
            checksums.seal(block)

    def save(self, path: Path) -> None:
        """Write the model to a file: the part of its block that is state, with a CRC-32.

        Format 3; docs/file-format.md describes every byte.

        The file is written under a temporary name, synced and renamed: a reader finds the old model
        or the new one, even after a power cut. A loaded learner continues bit for bit as the saved
        one would have.

        Parameters
        ----------
        path : str, bytes or path-like
            A symbolic link is followed; mode and owner of an existing file are kept.

        Raises
        ------
        OSError
            The file cannot be written, or something other than a regular file has that name.
        RuntimeError
            Another thread is using the learner.
        """
        from edgeolk.files.atomic import write_atomically

        write_atomically(path, (self._sealed(),))
