#!/usr/bin/env bash
# Runs receivers.py over a network file system: a GlusterFS server on this machine, which each receiver and the consumer mount
# for themselves, as on machines of their own. Needs root, FUSE and Debian's glusterfs-server.
#
#     Tests/Scale/network_folder.sh [--pauses] [options of receivers.py]
#
# With --pauses the server stops for two seconds, again and again, as if the network were away.
set -euo pipefail

pauses=
if [[ ${1:-} == --pauses ]]; then
  pauses=1
  shift
fi
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
mounts=("$work"/mount-{1,2,3})
processes=()

leave() {
  for mount in "${mounts[@]}"; do umount --lazy "$mount" 2> /dev/null || true; done
  ((${#processes[@]} == 0)) || kill -KILL "${processes[@]}" 2> /dev/null || true
  rm -rf "$work"
}
trap leave EXIT

mkdir "$work/shared" "${mounts[@]}"
cat > "$work/server.vol" << VOLUME
volume files
  type storage/posix
  option directory $work/shared
end-volume
volume shared
  type features/locks
  subvolumes files
end-volume
volume server
  type protocol/server
  option transport-type tcp
  option transport.socket.bind-address 127.0.0.1
  option transport.socket.listen-port $port
  option auth.addr.shared.allow 127.0.0.1
  subvolumes shared
end-volume
VOLUME
cat > "$work/client.vol" << VOLUME
volume client
  type protocol/client
  option transport-type tcp
  option remote-host 127.0.0.1
  option remote-port $port
  option remote-subvolume shared
end-volume
VOLUME

glusterfsd --no-daemon --volfile="$work/server.vol" --log-file="$work/server.log" &
server=$!
disown # so that bash does not report that it was killed at the end
processes+=("$server")
sleep 1
for mount in "${mounts[@]}"; do
  glusterfs --no-daemon --volfile="$work/client.vol" --log-file="$work/client.log" "$mount" &
  processes+=("$!")
  disown
done
for mount in "${mounts[@]}"; do
  for _ in {1..100}; do
    mountpoint --quiet "$mount" && break
    sleep 0.1
  done
done
touch "${mounts[0]}/seen"
if [[ ! -e ${mounts[1]}/seen || ! -e ${mounts[2]}/seen ]]; then
  echo "The shared folder could not be mounted three times: $(tail -n 3 "$work/client.log")" >&2
  exit 1
fi

if [[ $pauses ]]; then
  while sleep 3; do
    kill -STOP "$server"
    sleep 2
    kill -CONT "$server"
  done &
  processes+=("$!")
  disown
fi
"$here/receivers.py" "$@" --mounts "${mounts[@]}"
