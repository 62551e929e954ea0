#!/bin/sh
# Makes keys, certificates and configurations for compose.yaml, below ./fabric. Needs mctl of this version on PATH,
# or in $MCTL. Nothing is made twice: run it again after `mctl fabric invite` to add a member.
set -eu
cd "$(dirname "$0")"
mctl=${MCTL:-mctl}
mkdir -p fabric/admin
# The keys of all members are in the home of the administrator.
run() { HOME="$PWD/fabric/admin/home" $mctl "$@"; }
mkdir -p fabric/admin/home

for member in hub worker-1 worker-2; do
	[ -e "fabric/admin/home/.orchestra/fabric/$member.nk" ] && continue
	case $member in
		hub) run fabric invite "$member" >/dev/null ;;
		*) run fabric invite "$member" --offer=demo >/dev/null ;;
	esac
done
run fabric config --cluster nats-1,nats-2,nats-3 --out fabric/nats --install /etc/nats --store /var/lib/nats

servers='["tls://nats-1:4222", "tls://nats-2:4222", "tls://nats-3:4222"]'
ca='/home/node/.orchestra/nats-ca.pem'
for member in admin hub worker-1 worker-2; do
	mkdir -p "fabric/$member/work" "fabric/$member/orchestra"
	cp fabric/nats/nats-1/ca.pem "fabric/$member/orchestra/nats-ca.pem"
	key=$member
	case $member in
		admin) key=hub; mkdir -p fabric/admin/orchestra/fabric
			cp fabric/admin/home/.orchestra/fabric/admin.nk fabric/admin/orchestra/fabric/ ; more='' ;;
		hub) more=', "use": ["demo__*"]' ;;
		*) more=', "group": "demo", "labels": ["host='$member'"], "httpAddr": "127.0.0.1:8470"' ;;
	esac
	cp "fabric/admin/home/.orchestra/fabric/$key.nk" "fabric/$member/orchestra/fabric.nk"
	chmod 600 "fabric/$member/orchestra/fabric.nk"
	cat > "fabric/$member/work/orchestra.json" <<END
{ "fabric": { "servers": $servers, "name": "$key", "ca": "$ca", "credentials": "\${file:~/.orchestra/fabric.nk}"$more },
  "tools": { "examples": true } }
END
done
# Containers run as user 1000.
if [ "$(id -u)" = 0 ]; then chown -R 1000:1000 fabric/admin/work fabric/admin/orchestra fabric/hub fabric/worker-1 fabric/worker-2; fi
echo "Start it with: docker compose up -d"
