"""The gRPC servers and services of a referee, its metrics and its logs."""
