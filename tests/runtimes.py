"""A sample of the runtime that a host offers to uploaded bots."""

from damrak_wire.runtime import BotLimits, BotRuntime, Interpreter, OptionalRuntime, PythonPackage

LIMITS = BotLimits(
    memory_mb=512,
    memory_is_shared=True,
    cpu_millis=1000,
    cpu_seconds=3600,
    processes=64,
    open_files=256,
    file_mb=64,
    tmp_mb=64,
    shm_mb=16,
    output_bytes=8 << 20,
    output_kept_bytes=64 << 10,
    start_ms=30_000,
    archive_mb=16,
    unpacked_mb=64,
    archive_files=2000,
)

TORCH = OptionalRuntime(
    name="torch",
    imports=("torch",),
    packages=(PythonPackage("torch", "2.9.0", ("functorch", "torch")),),
    memory_mb=2048,
    archive_mb=64,
    unpacked_mb=256,
    import_ms=2400,
    import_cpu_ms=1300,
    import_memory_mb=420,
    import_threads=1,
)

RUNTIME = BotRuntime(
    python="3.11.2",
    platform="Linux x86_64",
    cpu="Example CPU 3000",
    processors=8,
    interpreters=(
        Interpreter("python3", "3.11.2", "/usr/bin/python3"),
        Interpreter("node", "18.19.0", "/usr/bin/node"),
    ),
    packages=(
        PythonPackage("damrak", "0.1.0", ("damrak", "damrak_engine")),
        PythonPackage("numpy", "2.1.0", ("numpy",)),
        PythonPackage("scipy", "1.14.0", ("scipy",)),
    ),
    limits=LIMITS,
    runtimes=(TORCH,),
)
