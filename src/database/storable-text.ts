/**
 * Whether a text can be in a table. PostgreSQL stores no NUL, and refuses one in a parameter; half of a surrogate pair would become U+FFFD, which is
 * another text.
 */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
