"""Parts of cupy.cuda for libraries that numjit does not use: CUB, cuTENSOR, NCCL and the like."""

from __future__ import annotations

available = False  #: what programs ask before they use such a part
