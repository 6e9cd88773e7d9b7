#!/usr/bin/env bash
# Run by the image of PostgreSQL when it has made a database: lets one replica stream from it.
set -euo pipefail

psql --set=ON_ERROR_STOP=1 --set=password="$REPLICATION_PASSWORD" --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
create role replicator login replication password :'password';
select pg_create_physical_replication_slot('replica');
-- So that the gateways read from the replica at once after it follows a new primary.
grant pg_read_all_stats to gateway;
SQL
echo 'host replication replicator all scram-sha-256' >>"$PGDATA/pg_hba.conf"
