import { parseIntoClientConfig } from 'pg-connection-string';

export const isPostgresUrl = (value: string): boolean => /^postgres(ql)?:\/\//.test(value);

/** Whether it can be taken apart; what follows a `#` would be left out, and is the rest of a password. */
export const isWholeUrl = (value: string): boolean => {
  const fault = faultOf(value);
  return !value.includes('#') && (fault === undefined || fault.syscall !== undefined);
};

/** Whether the certificates and keys that it names can be read. */
export const hasReadableFiles = (value: string): boolean => faultOf(value)?.syscall === undefined;

const faultOf = (value: string): NodeJS.ErrnoException | undefined => {
  try {
    parseIntoClientConfig(value);
    return undefined;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
};
