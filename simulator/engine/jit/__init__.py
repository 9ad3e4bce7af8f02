"""Compiling rules and kernels with numba; the only place that knows numba's internals."""
