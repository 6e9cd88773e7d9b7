/** Stands where there is nothing to say. */
export const DASH = '–';

const GROUPED = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** `12,345`, and with digits after the point below a hundred, as many as `digits`. */
export const count = (value: number | undefined, digits = 0): string => {
  if (value === undefined || !Number.isFinite(value)) return DASH;
  return value >= 100 ? GROUPED.format(value) : value.toFixed(digits);
};

/** `93 %`, `2.4 %`, `0.02 %`: two significant digits. */
export const percent = (share: number | undefined): string => {
  if (share === undefined || !Number.isFinite(share)) return DASH;
  const value = share * 100;
  return `${value.toFixed(value >= 9.95 ? 0 : value >= 0.995 ? 1 : 2)} %`;
};
