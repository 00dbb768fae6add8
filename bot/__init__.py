"""gpubot: answers about GPU inference clusters, computed from what the cluster says."""

__version__ = "0.1.0"
