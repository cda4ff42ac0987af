#!/bin/bash
# The first process of the virtual computer: makes it habitable and starts what reports.
set -u
export HOME=/root LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
PATH=$(dirname "$PYTHON"):/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t cgroup2 none /sys/fs/cgroup
mkdir -p /dev/shm /dev/pts
for folder in /tmp /run /var/tmp /dev/shm; do mount -t tmpfs tmpfs $folder; done
mount -t devpts devpts /dev/pts
ip link set lo up
mkdir /tmp/disk
if mount -t ext4 /dev/ubda /tmp/disk; then
    cd /tmp && "$PYTHON" "$(dirname "$0")/inside.py" "$WORD"
else
    echo ">failed the disk cannot be mounted"
fi
echo o >/proc/sysrq-trigger
sleep 60
