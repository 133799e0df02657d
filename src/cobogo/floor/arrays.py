"""Names of array types."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Small = NDArray[np.int32]
Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]
Texts = NDArray[np.object_]
