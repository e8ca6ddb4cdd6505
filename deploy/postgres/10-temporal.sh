#!/bin/sh
# Runs once, when the database is made: Temporal has a role and databases of its own, and no right to the tables of svc.
set -eu
password="$(cat /run/secrets/temporal_password)"
psql --set ON_ERROR_STOP=1 --set password="$password" --username "$POSTGRES_USER" --dbname postgres <<'SQL'
create role temporal login password :'password';
create database temporal owner temporal;
create database temporal_visibility owner temporal;
SQL
