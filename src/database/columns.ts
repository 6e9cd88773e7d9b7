/**
 * The columns of a table under an alias, named as the Prisma model names its fields: a row of our own SQL is then the same thing as one of
 * Prisma's, and a new field is in both. Columns are the fields' names in snake case.
 * @param fields the model's, such as `Prisma.ProductScalarFieldEnum`
 */
export const columnsOf = (fields: Readonly<Record<string, string>>, alias: string): string =>
  Object.values(fields)
    .map((field) => `${alias}.${field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} as "${field}"`)
    .join(', ');
