"""Sections 13, 14 and 7e of `sorf`: the drift alarm, leaking weights, one learned width.

Written from the specification, independently of the loops. Arithmetic is float64, rounded when
stored: to float32 except for float64 storage. The scaler is not implemented here: a row is passed
scaled, with the inputs that have a deviation, and an alarm of the scaler is recorded as "scaler".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from edgeolk.reference.structured import Sorf


class DriftingSorf(Sorf):
    """`Sorf` with `drift`, `leak` and `relevance="shared"`."""

    def __init__(
        self,
        n_features: int,
        D: int,
        gamma: float,
        *,
        relevance: bool | str = False,
        drift: bool = True,
        leak: float = 0.0,
        **options: Any,
    ) -> None:
        super().__init__(n_features, D, gamma, relevance=bool(relevance), **options)
        self.shared, self.drift, self.leak = relevance == "shared", drift, leak
        self.gl, self.gg = self.real(0.0), self.real(0.0)
        self.plain_omega = self.phi.omega.copy()
        self.v, self.g, self.ef, self.es = (self.real(number) for number in (1.0, 0.0, 0.0, 0.0))
        self.last = self.alarms = 0
        self.wrong = False
        self.alarm_log: list[tuple[int, str]] = []

    # --- 7e ---

    def slope(
        self, x: np.ndarray, phi: np.ndarray, weigh: dict[int, float], live: Sequence[bool]
    ) -> float:
        """The derivative by gl of the blended scores' sum with these weights."""
        return float(self.by_angles(phi, weigh, live) @ self.phi.angles(x))

    def set_omega(self, omega: np.ndarray) -> None:
        self.plain_omega = omega
        self.set_scale(float(self.gl))

    def set_scale(self, gl: float) -> None:
        self.gl = self.real(gl)
        self.phi.omega = self.plain_omega * math.exp(float(self.gl))

    def _learn_relevance(
        self, scaled: np.ndarray, phi: np.ndarray, f: np.ndarray, y: float, live: list[bool]
    ) -> None:
        if not self.shared:
            super()._learn_relevance(scaled, phi, f, y, live)
            return
        if (error := self.error(f, y)) is None:
            return
        columns, residual = error
        q = residual * self.slope(scaled, phi, columns, live)
        self.u += 1
        self.gg = self.real(0.999 * float(self.gg) + 0.001 * q * q)
        if self.gg > 0.0:
            rms = math.sqrt(float(self.gg) / (1.0 - 0.999**self.u) + 1e-12)
            self.set_scale(min(2.0, max(-2.0, float(self.gl) + 0.01 * q / rms)))

    # --- 14 ---

    def _average(self) -> None:
        if self.leak > 0.0 and self.wrong:
            E, alpha, _, _ = self.shares()
            share = alpha / E if self.G > 1 else alpha
            for g, k in self.phi.due(self.t):
                if share[g] > 0.7 and self.n[g] < 2.0 * self.cmin:
                    self.w.add(k, range(self.K), -self.leak * self.w.v[k].astype(float))
        super()._average()

    # --- 13 ---

    def _scored(
        self, x: np.ndarray, y: float, f: np.ndarray, fw: np.ndarray, fa: np.ndarray
    ) -> None:
        leader = int(np.argmax(self.shares()[0]))
        max_cost = 4.0 if self.regression else 1.0
        output = self.output(x, f)
        self.costs = [self.cost(part, y) / max_cost for part in (output, fw[leader], fa[leader])]
        self.wrong = not self.regression and self.cost(f, y) > 0.0

    def step(
        self,
        x: np.ndarray,
        y: float,
        weight: float = 1.0,
        deviates: np.ndarray | None = None,
        follows: bool = True,
    ) -> float:
        """`deviates`: the inputs with a deviation in the scaler, None without a scaler; `follows`:
        whether it is a standard scaler that is not frozen."""
        x = np.asarray(x, dtype=float)
        returned = super().step(x, y, weight)
        e, e_w, e_a = self.costs
        if self.drift:
            if deviates is not None and deviates.any():
                square = float(np.mean(x[deviates] ** 2))
                self.v = self._followed(self.v, square, 128)
            self.g = self._followed(self.g, e_w - e_a, 128)
            self.ef = self._followed(self.ef, e, 128)
            self.es = self._followed(self.es, e, 2048)
            self._check(deviates is not None and follows)
        return returned

    def output(self, x: np.ndarray, f: np.ndarray) -> np.ndarray:
        """The score of a row, f being that of the features."""
        return f

    def _followed(self, old: Any, new: float, rows: int) -> Any:
        return self.real(float(old) + (new - float(old)) / min(self.t, rows))

    def _check(self, has_scaler: bool) -> None:
        if not (self.t - self.last > 256 and self.t > 500):
            return
        if not float(self.ef) > 2.0 * float(self.es) + 0.1:
            return
        if has_scaler and (self.v < 0.6 or self.v > 1.0 / 0.6):
            self._alarm("scaler")
        elif self.g <= -0.1:
            self._forget()
            self._alarm("weights")
        else:
            self.last = self.t - 240

    def _forget(self) -> None:
        self.w.v[:] = 0
        self.a.v[:] = 0
        self._start_blend()

    def _alarm(self, what: str) -> None:
        self.last = self.t
        self.alarms += 1
        self.alarm_log.append((self.t, what))
