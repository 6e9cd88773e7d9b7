import { notFound, permanentRedirect } from 'next/navigation';
import { createVitrine } from './vitrine.ts';

// `app/[language]/product/[slug]/page.tsx`: a language a path, so that no answer and no page varies by a header.

const ask = createVitrine(process.env.VITRINE_URL ?? 'http://localhost:4000');

const PRODUCT = `query Product($slug: String!, $language: String) @inContext(language: $language) {
  productBySlug(slug: $slug) { name slug language translations { language slug } }
}`;

interface Product {
  readonly name: string;
  readonly slug: string;
  readonly language: string;
  readonly translations: readonly { language: string; slug: string }[];
}

interface Props {
  readonly params: Promise<{ language: string; slug: string }>;
}

const addressOf = (language: string, slug: string): string => `/${language}/product/${encodeURIComponent(slug)}`;

const productOf = async ({ params }: Props): Promise<{ language: string; product: Product }> => {
  const { language, slug } = await params;
  const wanted = decodeURIComponent(slug);
  const { productBySlug: product } = await ask<{ productBySlug: Product | null }>(PRODUCT, { slug: wanted, language });
  if (!product) notFound();
  // A former slug, or that of another language.
  if (product.slug !== wanted) permanentRedirect(addressOf(language, product.slug));
  return { language, product };
};

/** The address of the page in each language that the product has texts in. */
export const generateMetadata = async (props: Props) => {
  const { language, product } = await productOf(props);
  const addresses = product.translations.map((each) => [each.language, addressOf(each.language, each.slug)]);
  return {
    title: product.name,
    alternates: {
      canonical: addressOf(language, product.slug),
      // The first is that of the default language.
      languages: { ...Object.fromEntries(addresses), 'x-default': addresses[0]?.[1] },
    },
  };
};

export default async function Page(props: Props) {
  const { product } = await productOf(props);
  return <h1 lang={product.language}>{product.name}</h1>;
}
