import { parseIntoClientConfig } from 'pg-connection-string';

export const isPostgresUrl = (value: string): boolean => /^postgres(ql)?:\/\//.test(value);

/** Whether it can be taken apart; what follows a `#` would be left out, and is the rest of a password. */
export const isWholeUrl = (value: string): boolean => {
  try {
    parseIntoClientConfig(value);
    return !value.includes('#');
  } catch (error) {
    // A certificate that it names cannot be read: the URL itself is whole.
    return (error as NodeJS.ErrnoException).syscall !== undefined;
  }
};
