"""What the rest of the library is written with: registry, intrinsics, expressions, hash tables."""
