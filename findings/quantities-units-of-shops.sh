#!/bin/sh
# js-quantities reads "12 fl oz" as femtolitres times ounces, "2 ct" as carats and "16 MP" as a viscosity
#
# Expected: a library of units reads what stands on products, or refuses it, as both do with "1 sqm". Google's feeds of
#   products have `fl oz` and `ct` (a count) among the units of `unit_pricing_measure`, cameras have MP, sets pc.
# Happens: what looks like a prefix and a unit is read as one, and two units with a space between are multiplied: fl is a
#   femtolitre, pc a parsec, MP a megapoise, ct a carat. To mathjs ct is a hundredth of a tonne, and `fl oz` the same
#   product. `floz`, in one word, is the fluid ounce in both. No error: only the dimension tells.
# Matters: unit prices and filters by size. A bottle has 3.4e-19 "m3*kg" and is compared with none of the others; a
#   box of two contact lenses weighs 0.4 g by one library and 20 kg by the other. `kind()` of js-quantities
#   tells a volume from what is none: ask it.
# Versions: js-quantities 1.8.0, mathjs 15.2.0 on Node 20.20.2
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> 12 floz: js-quantities 0.0003548823564 m3 (volume), mathjs 3.5488235475000004e-4 m^3
#> 12 fl oz: js-quantities 3.4019427720000003e-19 m3*kg (no kind), mathjs 3.401942775e-19 kg m^3
#> 2 ct: js-quantities 0.0004 kg (mass), mathjs 20 kg
#> 2 pc: js-quantities 61713560000000000 m (length), mathjs refused
#> 16 MP: js-quantities 1600000 kg/m*s (viscosity), mathjs refused
#> 1 sqm: js-quantities refused, mathjs refused
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund js-quantities@1.8.0 mathjs@15.2.0 >&2
cat >find.mjs <<'JS'
import Qty from 'js-quantities';
import { unit } from 'mathjs';

const read = (convert) => {
  try {
    return convert();
  } catch {
    return 'refused';
  }
};
const readers = {
  'js-quantities': (text) => `${Qty(text).toBase()} (${Qty(text).kind() ?? 'no kind'})`,
  mathjs: (text) => unit(text).toSI().toString(),
};
for (const text of ['12 floz', '12 fl oz', '2 ct', '2 pc', '16 MP', '1 sqm']) {
  console.log(`${text}: ${Object.entries(readers).map(([name, reader]) => `${name} ${read(() => reader(text))}`).join(', ')}`);
}
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
