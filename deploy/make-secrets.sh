#!/bin/sh
# Writes what is missing in deploy/secrets; what is there stays as it is. sh deploy/make-secrets.sh [directory]
set -eu
folder="${1:-$(dirname "$0")/secrets}"
# containers read the files as users of their own; the directory is what keeps others of this machine out
mkdir -p "$folder"
chmod 700 "$folder"
umask 022

random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
keep() { [ -s "$folder/$1" ] || printf '%s\n' "$2" >"$folder/$1"; }

for name in postgres_password app_password temporal_password admin_password jwt_secret secret_key; do
  keep "$name" "$(random)"
done
keep owner_database_url "postgres://svc:$(cat "$folder/postgres_password")@postgres:5432/svc"
keep database_url "postgres://svc_app:$(cat "$folder/app_password")@postgres:5432/svc"
