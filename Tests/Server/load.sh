#!/usr/bin/env bash
# How many postbacks a second `postback serve` acknowledges after fsync, and how many conversion values it answers, beside
# nginx answering an empty 200 on the same machine in the same run.
#
#   Tests/Server/load.sh [BINARY] [SECONDS]      .build/release/postback and 10 unless given
#
# wrk posts a real postback over 64 connections that stay open, from two threads. POSTBACK_SPOOL names a folder for the spool on the
# disk to be measured; a temporary one is made in it. Where wrk or nginx is not there, it says so and ends with 77.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
binary=$(realpath "${1:-$root/.build/release/postback}")
seconds=${2:-10}
for tool in wrk nginx; do
  command -v "$tool" >/dev/null || { echo "load.sh: $tool is not there (apt-get install wrk nginx-light)" >&2; exit 77; }
done

work=$(mktemp -d "${POSTBACK_SPOOL:-${TMPDIR:-/tmp}}/postback-load-XXXXXX")
server= nginx=
finish() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  [ -z "$nginx" ] || kill "$nginx" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
cd "$work"
mkdir spool

cat >server.json <<'JSON'
{"limits": {"requests_per_minute": 0}}
JSON
"$binary" serve --listen 127.0.0.1:0 --spool spool --models "$root/Fixtures/models" --config server.json 2>log &
server=$!
for _ in $(seq 200); do
  port=$(sed -n 's|.*listening: at http://127.0.0.1:\([0-9]*\).*|\1|p' log)
  [ -z "$port" ] || break
  sleep 0.05
done
[ -n "$port" ] || { cat log >&2; exit 1; }

nginx_port=$((port > 40000 ? port - 7 : port + 7))
cat >nginx.conf <<CONF
daemon off; worker_processes 2; pid $work/nginx.pid; error_log $work/nginx.log;
events { worker_connections 1024; }
http {
  access_log off; client_body_temp_path $work/body; keepalive_requests 100000000;
  fastcgi_temp_path $work/f; proxy_temp_path $work/p; scgi_temp_path $work/s; uwsgi_temp_path $work/u;
  server { listen 127.0.0.1:$nginx_port; location / { return 200; } }
}
CONF
nginx -e "$work/nginx.log" -c "$work/nginx.conf" 2>/dev/null &
nginx=$!

body=$(sed -n 2p "$root/Fixtures/postbacks/skadnetwork-4.0.jsonl")
result='
done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format("RESULT %.0f %.2f %.2f %d\n", summary.requests / summary.duration * 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end'
cat >post.lua <<LUA
wrk.method = "POST"
wrk.body = [==[$body]==]
wrk.headers["Content-Type"] = "application/json"
$result
LUA
echo "$result" >get.lua

measure() { wrk -t2 -c64 -d"${seconds}s" -s "$3" "$1" | awk -v name="$2" '/^RESULT/ {
  printf "| %s | %d | %.2f ms | %.2f ms | %d |\n", name, $2, $3, $4, $5 }'; }

sleep 0.3
echo "| 64 connections, ${seconds} s | requests/s | p50 | p99 | errors |"
echo "|---|---|---|---|---|"
measure "http://127.0.0.1:$port/.well-known/skadnetwork/report-attribution/" "postback serve, durable" post.lua
values="/api/v2/conversion_value?p=iOS&i=com.example.puzzle&n=ad_impression&skan_current_conversion_value=1"
values+="&skan_first_call_to_skadnetwork_timestamp=$(date +%s)&skan_total_admon_revenue_by_currency=%7B%22USD%22%3A0.03%7D"
measure "http://127.0.0.1:$port$values" "postback serve, conversion values" get.lua
measure "http://127.0.0.1:$nginx_port/" "nginx, empty 200" post.lua

received=$(wget -qO- "http://127.0.0.1:$port/metrics" 2>/dev/null || curl -s "http://127.0.0.1:$port/metrics")
commits=$(awk '/^postback_receiver_commits_total\{outcome="done"\}/ { print $2 }' <<<"$received")
acknowledged=$(awk '/^postback_received_total\{channel="apple_direct"\}/ { print $2 }' <<<"$received")
lines=$(find spool/new -name '*.jsonl' -exec cat {} + | wc -l)
echo
echo "$acknowledged acknowledged, $lines lines in the spool, $commits files; resident $(awk '/VmRSS/ { print $2 " " $3 }' "/proc/$server/status")"
[ "$lines" -ge "$acknowledged" ] || { echo "load.sh: fewer lines than acknowledgements" >&2; exit 1; }
