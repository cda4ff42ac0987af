"""A system-call filter for bots, loaded into the kernel.

Calls that libseccomp knows and that are not listed here are allowed, as programs of any language
need many. Unknown calls, those of newer kernels, fail as if they did not exist.
"""

from __future__ import annotations

import errno
import resource
import socket
import tempfile
from typing import Final

_PROCESSES: Final = (
    "ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp process_madvise process_mrelease"
)
_FILE_SYSTEMS: Final = (
    "unshare setns mount umount umount2 pivot_root chroot fsopen fsconfig fsmount fspick "
    "move_mount open_tree mount_setattr name_to_handle_at open_by_handle_at "
    "fanotify_init fanotify_mark quotactl quotactl_fd swapon swapoff nfsservctl sysfs uselib"
)
_KERNEL: Final = (
    "bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register "
    "add_key request_key keyctl kexec_load kexec_file_load init_module finit_module "
    "delete_module create_module query_module get_kernel_syms reboot syslog acct "
    "lookup_dcookie _sysctl iopl ioperm modify_ldt vm86 vm86old vhangup vserver"
)
_MACHINE: Final = (
    "settimeofday stime clock_settime clock_settime64 adjtimex clock_adjtime clock_adjtime64 "
    "sethostname setdomainname"
)
# Memory that rlimits do not count, and the placement of memory.
_MEMORY: Final = (
    "shmget shmat shmctl shmdt msgget msgsnd msgrcv msgctl semget semop semctl semtimedop "
    "mq_open mq_unlink mbind migrate_pages move_pages set_mempolicy set_mempolicy_home_node "
    "memfd_secret"
)
# Covert channels by files that all sandboxes see, and ways to observe the machine.
_SIGNS: Final = "flock inotify_init inotify_init1 inotify_add_watch inotify_rm_watch"
# They flush the whole machine's files, which delays every process that waits for a disk.
_DISKS: Final = "sync syncfs"
REFUSED: Final = frozenset(
    " ".join((_PROCESSES, _FILE_SYSTEMS, _KERNEL, _MACHINE, _MEMORY, _SIGNS, _DISKS)).split()
)
CONDITIONAL: Final = frozenset(
    {"clone", "clone3", "socket", "socketpair", "personality", "fcntl", "memfd_create"}
    | {"setrlimit", "prlimit64"}
)
# Without locks, leases and directory notifications, which are covert channels, too.
_PLAIN_COMMANDS: Final = (*range(5), *range(8, 12), 15, 16, 1030, 1031, 1032, 1033, 1034)
_LOCKS: Final = (5, 6, 7, 36, 37, 38, 1024, 1025, 1026)
HIGHEST: Final = 1024
_NEW_NAMESPACE: Final = (
    0x0002_0000 | 0x0200_0000 | 0x0400_0000 | 0x0800_0000 | 0x1000_0000 | 0x2000_0000 | 0x4000_0000
)  # mount, cgroup, uts, ipc, user, pid, net
_PLAIN_PERSONALITIES: Final = (0, 0xFFFF_FFFF)
_RESOURCES: Final = 16  # the number of resource limits
_HALF: Final = 0xFFFF_FFFF  # the kernel reads only this half of that argument


class NoFilter(Exception):
    """The filter cannot be built here; the message names what is missing."""


def make_filter(*, counted_together: bool = True) -> bytes:
    """Build the filter in the form that the kernel loads.

    Files in memory are allowed only if control groups count them (`counted_together`).

    Raises:
        NoFilter: the library for it is missing.
    """
    try:
        import pyseccomp as seccomp
    except ImportError:
        raise NoFilter("the Python package pyseccomp: pip install 'damrak[referee]'") from None
    except RuntimeError:
        raise NoFilter("libseccomp: apt install libseccomp2") from None
    allow, refuse = seccomp.ALLOW, seccomp.ERRNO(errno.EPERM)
    rules = seccomp.SyscallFilter(seccomp.ERRNO(errno.ENOSYS))
    for number in range(HIGHEST):
        try:
            name = seccomp.resolve_syscall(seccomp.Arch.NATIVE, number).decode()
        except ValueError:
            continue
        if name not in CONDITIONAL:
            rules.add_rule(refuse if name in REFUSED else allow, number)
    # clone3 hides its flags from filters; without it, libraries fall back to clone.
    arg, equal, masked, unequal = seccomp.Arg, seccomp.EQ, seccomp.MASKED_EQ, seccomp.NE
    rules.add_rule(allow, "clone", arg(0, masked, _NEW_NAMESPACE, 0))
    for call in ("socket", "socketpair"):
        rules.add_rule(allow, call, arg(0, equal, socket.AF_UNIX))
        rules.add_rule(seccomp.ERRNO(errno.EAFNOSUPPORT), call, arg(0, unequal, socket.AF_UNIX))
    for command in _PLAIN_COMMANDS:
        rules.add_rule(allow, "fcntl", arg(1, equal, command))
    for command in _LOCKS:
        rules.add_rule(refuse, "fcntl", arg(1, equal, command))
    rules.add_rule(allow if counted_together else refuse, "memfd_create")
    for kind in _PLAIN_PERSONALITIES:
        rules.add_rule(allow, "personality", arg(0, equal, kind))
    for what in range(_RESOURCES):
        # The core limit keeps the kernel from running its crash handler, so bots cannot change it.
        is_core = what == resource.RLIMIT_CORE
        verdict = refuse if is_core else allow
        rules.add_rule(verdict, "setrlimit", arg(0, masked, _HALF, what))
        new = arg(2, unequal, 0)
        rules.add_rule(verdict, "prlimit64", arg(1, masked, _HALF, what), new)
    rules.add_rule(allow, "prlimit64", arg(2, equal, 0))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()
