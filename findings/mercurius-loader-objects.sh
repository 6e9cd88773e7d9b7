#!/bin/sh
# A loader of mercurius gives the first product's price to all products, where they are objects of a class
#
# Expected: a loader is called once with all the products of a list, and each gets its own answer, as with DataLoader,
#   whatever a product is in JavaScript. The fields beside it, which have no loader, are right.
# Happens: by default answers are kept by `JSON` of the parent object and the arguments. Of an object of a class with
#   private fields and getters that is `{}`, of one that has a `Map` the content is missing, and NaN and Infinity are
#   both null. All with the same text are one to the loader: it is asked about the first, and all get that answer. No
#   error, no warning. `cache: false` for the loader still joins them.
# Matters: a test with rows of a database, or with one product, is right. When the rows become classes, every product of
#   a list has the price of the first. A method `toJSON` that has the id is what the key is made of.
# Versions: mercurius 16.10.1, fastify 5.12.8, graphql 16.15.0 on Node 20.20.2 and 24.21.0
# Seen on 2026-11-28 (the script compares the lines after `#>` with what it prints):
#> plain objects: 1 has the price of 1, 2 has the price of 2, 3 has the price of 3; asked about 3
#> of a class: 1 has the price of 1, 2 has the price of 1, 3 has the price of 1; asked about 1
#> of a class, cache: false: 1 has the price of 1, 2 has the price of 1, 3 has the price of 1; asked about 1
#> of a class with toJSON: 1 has the price of 1, 2 has the price of 2, 3 has the price of 3; asked about 3
set -eu
self=$(realpath "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix "$folder" --silent --no-audit --no-fund mercurius@16.10.1 fastify@5.12.8 graphql@16.15.0 >&2
cat >find.mjs <<'JS'
import Fastify from 'fastify';
import mercurius from 'mercurius';

class Product {
  #id;
  constructor(id) {
    this.#id = id;
  }
  get id() {
    return this.#id;
  }
}
class ProductWithJson extends Product {
  toJSON() {
    return { id: this.id };
  }
}
const schema = 'type Query { products: [Product] } type Product { id: Int price: String }';
const show = async (label, make, opts) => {
  let asked = 0;
  const loader = async (queries) => {
    asked += queries.length;
    return queries.map(({ obj }) => `price of ${obj.id}`);
  };
  const app = Fastify();
  app.register(mercurius, {
    loaders: { Product: { price: { loader, opts } } },
    resolvers: { Query: { products: () => [1, 2, 3].map(make) } },
    schema,
  });
  const { data } = (await app.inject({ method: 'POST', payload: { query: '{ products { id price } }' }, url: '/graphql' })).json();
  console.log(`${label}: ${data.products.map(({ id, price }) => `${id} has the ${price}`).join(', ')}; asked about ${asked}`);
  await app.close();
};
await show('plain objects', (id) => ({ id }));
await show('of a class', (id) => new Product(id));
await show('of a class, cache: false', (id) => new Product(id), { cache: false });
await show('of a class with toJSON', (id) => new ProductWithJson(id));
JS
node find.mjs >seen
sed -n 's/^#> //p' "$self" | diff - seen && cat seen
