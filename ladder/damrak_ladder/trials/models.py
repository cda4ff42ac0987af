"""Whether one version is better than another: tests and canaries."""
