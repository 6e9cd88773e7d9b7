import type { SourceRecord } from '../record.ts';
import { plainName } from './format.ts';

/**
 * What WooCommerce's translations into German, French, Spanish and Dutch call the columns, in several versions of them. The export names its
 * columns in the language of the person who exports; the cells are the same in all languages.
 */
const TRANSLATIONS = `
Type|Typ|Tipo
SKU|Artikelnummer|Art.-Nr.|UGS|Référence
GTIN|GTIN, UPC, EAN oder ISBN|GTIN, UPC, EAN ou ISBN|GTIN, UPC, EAN o ISBN|GTIN, UPC, EAN of ISBN
Name|Nom|Nombre|Naam
Published|Veröffentlicht|Publié|Publicado|Gepubliceerd
Visibility in catalog|Sichtbarkeit im Katalog|Katalogsichtbarkeit|Visibilité dans le catalogue|Visibilidad en el catálogo|Zichtbaarheid in catalogus
Short description|Kurzbeschreibung|Description courte|Descripción corta|Korte beschrijving|Korte omschrijving
Description|Beschreibung|Descripción|Beschrijving
Date sale price starts|Datum, an dem Angebotspreis beginnt|Datum, an dem der Angebotspreis beginnt|Angebotspreis gültig ab|Date de début de promo|Día en que empieza el precio rebajado|Startdatum actieprijs
Date sale price ends|Datum, an dem Angebotspreis endet|Datum, an dem der Angebotspreis endet|Angebotspreis gültig bis|Date de fin de promo|Día en que termina el precio rebajado|Einddatum actieprijs
In stock?|Vorrätig?|Auf Lager?|Lagerstatus|En stock ?|En inventaire?|¿Existencias?|¿En inventario?|En inventario|Op voorraad?
Stock|Lager|Bestand|Lagerbestand|Inventaire|Inventario|Voorraad
Sale price|Angebotspreis|Tarif promo|Prix promo|Precio rebajado|Actieprijs
Regular price|Regulärer Preis|Normaler Preis|Tarif régulier|Prix régulier|Precio normal|Precio regular|Reguliere prijs
Categories|Kategorien|Catégories|Categorías|Categorieën
Tags|Schlagwörter|Étiquettes|Etiquetas
Brands|Marken|Marques|Marcas|Merken
Images|Bilder|Imágenes|Afbeeldingen
Parent|Übergeordnetes Produkt|Eltern|Superior|Hoofd
Grouped products|Gruppierte Produkte|Produits groupés|Groupes de produits|Productos agrupados|Gegroepeerde producten
Position|Posición|Positie
Attribute # name|Attribut # Name|Nom de l’attribut #|Nombre del atributo #
Attribute # value(s)|Attribut # Wert(e)|Valeur(s) de l’attribut #|Valor(es) del atributo #
Attribute # visible|Attribut # Sichtbar|Attribut # visible|Atributo visible #
`;

/** Our column by each of its other names, of which one may have a number. */
const COLUMN_OF = new Map(
  TRANSLATIONS.trim()
    .split('\n')
    .flatMap((line) => {
      const [column = '', ...names] = line.split('|');
      return names.map((name) => [plainName(name), column] as const);
    }),
);

/** Columns that other files do not have under these names. */
const OWN = ['Visibility in catalog', 'Date sale price starts', 'Regular price'];

/** What has to be known of a file in a language that is not here. */
const NEEDED = ['Name', 'Regular price'];

/** The cells of the column `Type`, in every language. */
const TYPES = /^(?:simple|variable|variation|grouped|external)(?:, (?:virtual|downloadable))*$/;

/**
 * How to read WooCommerce's export in another language than English: the options, which name its columns.
 * @param isKnown whether another format recognises the file, so that its types alone prove nothing
 * @returns undefined if the file is no such export
 */
export const adviceOnLanguage = (
  head: readonly SourceRecord[],
  columns: readonly string[],
  isKnown: boolean,
): string | undefined => {
  const found = new Map<string, string>();
  for (const column of columns) {
    const [number = ''] = /\d+/.exec(column) ?? [];
    const ours = COLUMN_OF.get(plainName(column.replace(number, '')))?.replace('#', number);
    if (ours !== undefined && !found.has(ours)) found.set(ours, column);
  }
  const cellsAre = (pattern: RegExp, column = ''): boolean[] =>
    head.map(({ fields }) => pattern.test(String(fields[column])));
  if (found.size >= 3 && OWN.some((column) => found.has(column))) {
    const decimal = cellsAre(/^\d+,\d{1,2}$/, found.get('Regular price')).includes(true) ? ' --decimal ,' : '';
    return `It is read with\n${optionsOf(found, decimal)}`;
  }
  const type = columns.find((column) => !cellsAre(TYPES, column).includes(false));
  if (isKnown || type === undefined || !columns.some((column) => plainName(column) === 'id')) return undefined;
  for (const column of NEEDED) if (!found.has(column)) found.set(column, '…');
  const options = optionsOf(found.set('Type', type));
  return `Export it in English, or say in the place of each … which column it is, and which others there are:\n${options}`;
};

const optionsOf = (columns: ReadonlyMap<string, string>, decimal = ''): string =>
  `--format woocommerce${decimal} --map "${[...columns].map((pair) => pair.join('=')).join(',')}"`;
