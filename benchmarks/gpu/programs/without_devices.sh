#!/bin/sh
# Run a command where /dev has no NVIDIA device files: `without_devices.sh COMMAND...`,
# in a mount namespace of its own (`unshare -m`), so that nobody else sees it. The folder is
# read-only: for root the driver's library makes the files anew.
set -eu
hidden=$(mktemp -d)
mount --make-rprivate / 2>/dev/null || :
mount -t tmpfs tmpfs "$hidden"
for path in /dev/*; do
    name=${path#/dev/}
    case $name in nvidia*) continue ;; esac
    if [ -L "$path" ]; then
        cp -P "$path" "$hidden/$name"
    elif [ -d "$path" ]; then
        mkdir "$hidden/$name"
        mount --rbind "$path" "$hidden/$name"
    else
        : >"$hidden/$name"
        mount --bind "$path" "$hidden/$name" 2>/dev/null || rm -f "$hidden/$name"
    fi
done
mount --move "$hidden" /dev 2>/dev/null || mount --rbind "$hidden" /dev
mount -o remount,ro,bind /dev
exec "$@"
