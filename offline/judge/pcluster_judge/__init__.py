"""The real ParallelCluster, asked many times in one process."""
