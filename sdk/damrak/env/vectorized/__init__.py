"""The vector environment: a native core, the same on the engine, and interfaces of libraries."""
