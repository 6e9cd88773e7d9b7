#!/bin/sh
# html-to-text joins the cells of a table without a space
#
# Expected: a table of a product's measures becomes text in which "Weight" and "5 kg" are two things, as a list
#   becomes lines: cells, or at least rows, stand apart.
# Happens: by default a table is a block whose cells and rows are inline: all its text is one run. Only cells that hold a
#   block (`<p>`) stand apart, and only white space between the tags of the source separates others.
#   `{ selector: 'table', format: 'dataTable' }` lays it out.
# Matters: a search for "weight" or for "5" finds nothing in "Weight5 kgSizeM", and an editor that indents its HTML
#   makes another text than the shop that sends it in one line.
# Versions: html-to-text 10.0.1 on Node 20.20.2 and 24.21.0
# Seen on 2026-11-27 (the script compares the lines after `#>` with what it prints):
#> one line: "Weight5 kgSizeM"
#> indented: "Weight 5 kg Size M"
#> a list: " * Weight\n * 5 kg"
#> as dataTable: "Weight   5 kg\nSize     M"
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund html-to-text@10.0.1 >&2
cat >find.mjs <<'JS'
import { convert } from 'html-to-text';

const rows = [['Weight', '5 kg'], ['Size', 'M']];
const html = `<table>${rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')}</table>`;
const show = (label, text) => console.log(`${label}: ${JSON.stringify(text)}`);
show('one line', convert(html));
show('indented', convert(html.replaceAll('><', '>\n  <')));
show('a list', convert('<ul><li>Weight</li><li>5 kg</li></ul>'));
show('as dataTable', convert(html, { selectors: [{ selector: 'table', format: 'dataTable' }] }));
JS
node --no-warnings find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
