"""The CUDA driver, found when it is first needed."""
