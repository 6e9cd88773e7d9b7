/** A whole number above 0 from the command line. @throws Error that says what is wrong */
export const positive = (name: string, text: string): number => {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${name} takes whole numbers above 0.`);
};
