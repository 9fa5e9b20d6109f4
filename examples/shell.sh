#!/bin/sh
# A script that is under the lock from its first line on, whoever starts it:
#
#   mkdir -p .tmp && ./shell.sh
set -eu

# Started bare, it starts itself again under the lock; `exec` passes its exit status on. Its own absolute
# path is the mark, so that another script of this kind, called from here, takes its own lock.
self=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
if [ "${UNDER_LOCK:-}" != "$self" ]; then
  UNDER_LOCK=$self exec lock_folder_util run --slug "shell-$$" --timeout 10m -- sh "$self" "$@"
fi

count=$(cat counter.txt 2>/dev/null || echo 0)
sleep 0.1 # the work; without the lock, others would read the same number now

# A step that cannot be undone: is the lock still ours?
lock_folder_util check
echo $((count + 1)) >counter.txt
