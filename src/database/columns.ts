/**
 * The columns of a table under an alias, named as the Prisma model names its fields: a row of our own SQL is then the same thing as one of
 * Prisma's, and a new field is in both. Columns are the fields' names in snake case.
 * @param fields the model's, such as `Prisma.ProductScalarFieldEnum`
 */
export const columnsOf = (fields: Readonly<Record<string, string>>, alias: string): string =>
  Object.values(fields)
    .map((field) => `${alias}.${field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} as "${field}"`)
    .join(', ');

/** The same for rows that are part of others: `category.id`, … */
export const nestedColumnsOf = (fields: Readonly<Record<string, string>>, alias: string, name: string): string =>
  columnsOf(fields, alias).replaceAll(' as "', ` as "${name}.`);

/** Takes such a row out of the one that it is part of. */
export const nestedRowOf = <Row>(
  fields: Readonly<Record<keyof Row & string, string>>,
  name: string,
): ((row: object) => Row) => {
  const columns = Object.values<string>(fields).map((field) => [field, `${name}.${field}`] as const);
  return (row) => {
    const nested: Record<string, unknown> = {};
    for (const [field, column] of columns) nested[field] = (row as Record<string, unknown>)[column];
    return nested as Row;
  };
};
