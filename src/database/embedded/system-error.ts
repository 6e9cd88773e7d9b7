/** Whether this is the failure of a system call with this code, such as `ENOENT`. */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** For `catch`: of a file that is not there, undefined; any other failure goes on. */
export const absentAsUndefined = (error: unknown): undefined => {
  if (!hasCode(error, 'ENOENT')) throw error;
};
