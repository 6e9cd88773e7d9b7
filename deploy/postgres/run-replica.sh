#!/usr/bin/env bash
# Copies the primary when there is no copy yet, then follows it.
set -euo pipefail

if [ ! -e "$PGDATA/PG_VERSION" ]; then
  # A copy that was cut short is no copy: it gets its name when it is whole.
  rm -rf "$PGDATA.part" "$PGDATA"
  mkdir -p "$(dirname "$PGDATA")"
  PGPASSWORD=$REPLICATION_PASSWORD pg_basebackup --host="$PRIMARY_HOST" --port="${PRIMARY_PORT:-5432}" --username=replicator \
    --slot=replica --wal-method=stream --checkpoint=fast --write-recovery-conf --pgdata="$PGDATA.part"
  mv "$PGDATA.part" "$PGDATA"
fi
exec docker-entrypoint.sh postgres
