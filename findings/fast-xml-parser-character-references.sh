#!/bin/sh
# fast-xml-parser leaves é as `&#233;`, although it replaces `&amp;`
#
# Expected: `&#233;` and `&#xE9;` are XML's own way to write é (XML 1.0, 4.1), known to every parser
#   without a DTD. Names such as `&eacute;` are HTML's, and an XML parser doesn't know those.
# Happens: by default `processEntities` is on and replaces the five names of XML, and the numbers stay as
#   they are: in texts and in attributes. They are put under `htmlEntities`, with HTML's names. And
#   the two can't be told apart afterwards: `&amp;#233;`, which means the seven characters `&#233;`, gives
#   the same text.
# Matters: writers that put out ASCII (many exports of shops, Python's xml.etree with its default
#   encoding) write every letter that is not English so, and a product is called `Caf&#233;` then.
# Versions: fast-xml-parser 5.12.1 on Node 20.20.2
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> default      {"title":{"#text":"Caf&#233; Caf&#xE9; A&B Caf&#233;","@_alt":"Caf&#233;"}}
#> htmlEntities {"title":{"#text":"Café Café A&B Caf&#233;","@_alt":"Café"}}
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund fast-xml-parser@5.12.1 >&2
cat >find.cjs <<'JS'
const { XMLParser } = require('fast-xml-parser');
const xml = '<title alt="Caf&#233;">Caf&#233; Caf&#xE9; A&amp;B Caf&amp;#233;</title>';
const read = (options) => JSON.stringify(new XMLParser({ ignoreAttributes: false, ...options }).parse(xml));
console.log('default     ', read({}));
console.log('htmlEntities', read({ htmlEntities: true }));
JS
node find.cjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
