#!/bin/sh
# Brings Temporal's two databases to the schema of this image; safe at every start.
set -eu
SQL_PASSWORD="$(cat /run/secrets/temporal_password)"
export SQL_PASSWORD
schema=/etc/temporal/schema/postgresql/v12
tool() {
  temporal-sql-tool --plugin postgres12 --ep postgres --port 5432 --user temporal --db "$@"
}
tool temporal setup-schema --version 0.0
tool temporal update-schema --schema-dir "$schema/temporal/versioned"
tool temporal_visibility setup-schema --version 0.0
tool temporal_visibility update-schema --schema-dir "$schema/visibility/versioned"
