#!/bin/sh
# fast-xml-parser makes `Salt&pepper mill` of a title whose ampersand is in CDATA
#
# Expected: `<![CDATA[…]]>` is another way to write characters, and its place in a text changes nothing (XML 1.0, 2.7):
#   "Salt <![CDATA[&]]> pepper mill" has the spaces that it shows. `trimValues` takes the white space off both ends of a
#   value.
# Happens: each piece of text between tags and CDATA is trimmed on its own, and then they are joined. The spaces at the
#   seams are gone, those within CDATA stay. The same with text around elements, `<b>`. With `trimValues: false` nothing is
#   trimmed. With `cdataPropName` the pieces of text are joined with each other, and what was between them is elsewhere.
#   xml2js, htmlparser2 and saxes keep the spaces.
# Matters: who writes feeds by hand or by template puts just what needs it into CDATA: an ampersand, a link, `m<sup>3</sup>`.
#   Words run together there, and no search finds them; titles that are CDATA as a whole are right. The documentation of
#   `trimValues` doesn't speak of pieces.
# Versions: fast-xml-parser 5.12.1, xml2js 0.6.2, htmlparser2 10.1.0, saxes 6.0.0 on Node 20.20.2
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> <title>Salt <![CDATA[&]]> pepper mill</title>
#>   fast-xml-parser: "Salt&pepper mill"
#>   trimValues false: "Salt & pepper mill"
#>   cdataPropName: {"cdata":"&","#text":"Saltpepper mill"}
#>   xml2js: "Salt & pepper mill"
#>   htmlparser2: "Salt & pepper mill"
#>   saxes: "Salt & pepper mill"
#> <title>Pump, 5 <![CDATA[m<sup>3</sup>]]> per hour</title>
#>   fast-xml-parser: "Pump, 5m<sup>3</sup>per hour"
#>   trimValues false: "Pump, 5 m<sup>3</sup> per hour"
#>   cdataPropName: {"cdata":"m<sup>3</sup>","#text":"Pump, 5per hour"}
#>   xml2js: "Pump, 5 m<sup>3</sup> per hour"
#>   htmlparser2: "Pump, 5 m<sup>3</sup> per hour"
#>   saxes: "Pump, 5 m<sup>3</sup> per hour"
#> <title><![CDATA[Salt & pepper mill]]></title>
#>   fast-xml-parser: "Salt & pepper mill"
#>   trimValues false: "Salt & pepper mill"
#>   cdataPropName: {"cdata":"Salt & pepper mill"}
#>   xml2js: "Salt & pepper mill"
#>   htmlparser2: "Salt & pepper mill"
#>   saxes: "Salt & pepper mill"
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund fast-xml-parser@5.12.1 xml2js@0.6.2 htmlparser2@10.1.0 saxes@6.0.0 >&2
cat >find.mjs <<'JS'
import { XMLParser } from 'fast-xml-parser';
import { DomUtils, parseDocument } from 'htmlparser2';
import { SaxesParser } from 'saxes';
import { parseStringPromise } from 'xml2js';

const fast = (options) => (xml) => new XMLParser(options).parse(xml).title;
const saxes = (xml) => {
  let text = '';
  const parser = new SaxesParser();
  parser.on('text', (piece) => (text += piece));
  parser.on('cdata', (piece) => (text += piece));
  parser.write(xml).close();
  return text;
};
const parsers = {
  'fast-xml-parser': fast(),
  'trimValues false': fast({ trimValues: false }),
  cdataPropName: fast({ cdataPropName: 'cdata' }),
  xml2js: async (xml) => (await parseStringPromise(xml)).title,
  htmlparser2: (xml) => DomUtils.textContent(parseDocument(xml, { xmlMode: true })),
  saxes,
};
const titles = [
  '<title>Salt <![CDATA[&]]> pepper mill</title>',
  '<title>Pump, 5 <![CDATA[m<sup>3</sup>]]> per hour</title>',
  '<title><![CDATA[Salt & pepper mill]]></title>',
];
for (const xml of titles) {
  console.log(xml);
  for (const [name, parse] of Object.entries(parsers)) console.log(`  ${name}: ${JSON.stringify(await parse(xml))}`);
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
