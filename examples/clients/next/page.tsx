import { createVitrine } from './vitrine.ts';

const ask = createVitrine(process.env.VITRINE_URL ?? 'http://localhost:4000');

const HOME = `query Home {
  hotProducts(limit: 4) { id name price { amount currencyCode } }
}`;

interface Home {
  readonly hotProducts: readonly { id: number; name: string; price: { amount: string; currencyCode: string } }[];
}

/** Rendered for each request, from answers that are as fresh as the gateway's own. */
export default async function Page() {
  const { hotProducts } = await ask<Home>(HOME);
  return (
    <ul>
      {hotProducts.map(({ id, name, price }) => (
        <li key={id}>
          {name}: {price.amount} {price.currencyCode}
        </li>
      ))}
    </ul>
  );
}
