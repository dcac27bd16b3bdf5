"""How kernels are compiled, and the few instructions that numba has no word for."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import numba
import numpy as np
from llvmlite import binding
from llvmlite import ir as untyped
from numba.core import types
from numba.core.caching import UserProvidedCacheLocator
from numba.extending import intrinsic, overload
from numba.misc.appdirs import AppDirs

ir: Any = untyped
folders: Any = AppDirs
host_cpu: Any = binding.get_host_cpu_name
config: Any = numba.config  # its names come from the environment
_one_at_a_time = Lock()  # threads make kernels too, and numba's settings are the process's
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": True}


class Locator(UserProvidedCacheLocator):
    """Kept results of equal sources are found from any checkout: numba would name their folder by its path."""

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        return ""


def compiled(function: Callable[..., Any]) -> Any:
    """Compile at the first call, and keep the result on disk where there is a place for it.

    Results are kept in a folder named by the content of all kernels: numba itself renews a kept result only when the
    kernel's own file changes, and would give wrong numbers when another one did.
    """
    with _one_at_a_time:
        before = config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES
        config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = str(cache_folder()), f"{__name__}.{Locator.__name__}"
        try:
            return numba.njit(cache=True, **OPTIONS)(function)
        except RuntimeError:
            # No folder for the cache can be written.
            return numba.njit(**OPTIONS)(function)
        finally:
            config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = before


def cache_folder() -> Path:
    """Where compiled kernels are kept: below NUMBA_CACHE_DIR if that is set, else in the user's folder of caches.

    All checkouts of one user, their tests, service and commands share it.
    """
    return Path(config.CACHE_DIR or folders("arena-ratings").user_cache_dir, f"kernels-{sources()[:16]}")


@cache
def sources() -> str:
    """A hash of all that the kernels are made from, and of what compiles them."""
    here = Path(__file__).parent
    # Of the draws the kernels take constants.
    files = [*sorted(here.glob("*.py")), here.parent / "reference" / "weights.py"]
    return hashlib.sha256(
        b"\0".join([numba.__version__.encode(), *(file.read_bytes() for file in files)])
    ).hexdigest()


def processor() -> str:
    """The kind of processor that results are kept for."""
    return str(host_cpu())


def inlined(function: Callable[..., Any]) -> Any:
    """A piece of other kernels."""
    return numba.njit(inline="always", **OPTIONS)(function)


def _as_double(context: Any, bits: Any) -> Any:
    """The float64 with the bits of an int64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), generate


as_double: Any = intrinsic(_as_double)


def _as_single(context: Any, bits: Any) -> Any:
    """The float32 with the bits of an int32."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.FloatType())

    return types.float32(types.int32), generate


as_single: Any = intrinsic(_as_single)


def _bits(context: Any, value: Any) -> Any:
    """The bits of a float64 as an int64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), generate


bits: Any = intrinsic(_bits)


@inlined
def expit_double(z: Any) -> Any:
    """1 / (1 + exp(-z)) in float64 to the last bit or two, by Cephes' exp; it vectorises."""
    t = min(max(-z, -700.0), 700.0)
    n = np.floor(t * 1.4426950408889634 + 0.5)
    r = t - n * 6.93145751953125e-1 - n * 1.42860682030941723212e-6
    s = r * r
    p = r * ((1.26177193074810590878e-4 * s + 3.02994407707441961300e-2) * s + 9.99999999999999999910e-1)
    q = (
        (3.00198505138664455042e-6 * s + 2.52448340349684104192e-3) * s + 2.27265548208155028766e-1
    ) * s + 2.0
    # exp(-z) is (q + p) / (q - p) times a power of two: one division does.
    power = as_double((np.int64(np.int32(n)) + np.int64(1023)) << np.int64(52))
    return (q - p) / ((q - p) + (q + p) * power)


@inlined
def expit_single(z: Any) -> Any:
    """1 / (1 + exp(-z)) in float32, by Cephes' expf; it vectorises."""
    f32 = np.float32
    t = min(max(-z, f32(-80.0)), f32(80.0))
    n = np.floor(t * f32(1.44269504) + f32(0.5))
    r = t - n * f32(0.693359375) + n * f32(2.12194440e-4)
    p = (f32(1.9875691500e-4) * r + f32(1.3981999507e-3)) * r + f32(8.3334519073e-3)
    p = ((p * r + f32(4.1665795894e-2)) * r + f32(1.6666665459e-1)) * r + f32(5.0000001201e-1)
    e = (p * r * r + r + f32(1.0)) * as_single((np.int32(n) + np.int32(127)) << np.int32(23))
    return f32(1.0) / (f32(1.0) + e)


def expit(z: Any) -> Any:
    """1 / (1 + exp(-z)) in the kind of float that z is, in kernels only."""
    raise NotImplementedError


@overload(expit, jit_options={"nogil": True, "error_model": "numpy", "fastmath": True})
def _expit(z: Any) -> Any:
    def single(z: Any) -> Any:
        return expit_single(z)

    def double(z: Any) -> Any:
        return expit_double(z)

    return single if z == types.float32 else double


@inlined
def log_double(x: Any) -> Any:
    """log(x) for positive normal x, by Cephes' log; it vectorises."""
    words = bits(x)
    e = np.float64(np.int32((words >> np.int64(52)) - np.int64(1022)))
    m = as_double((words & np.int64(0x000FFFFFFFFFFFFF)) | np.int64(0x3FE0000000000000))
    low = m < 0.70710678118654752440
    e = e - 1.0 if low else e
    m = m + m - 1.0 if low else m - 1.0
    z = m * m
    p = (1.01875663804580931796e-4 * m + 4.97494994976747001425e-1) * m + 4.70579119878881725854e0
    p = ((p * m + 1.44989225341610930846e1) * m + 1.79368678507819816313e1) * m + 7.70838733755885391666e0
    q = (m + 1.12873587189167450590e1) * m + 4.52279145837532221105e1
    q = ((q * m + 8.29875266912776603211e1) * m + 7.11544750618563894466e1) * m + 2.31251620126765340583e1
    y = m * (z * p / q) - e * 2.121944400546905827679e-4 - 0.5 * z
    return m + y + e * 0.693359375
