const TOKEN = 'vitrine-demo-token';
const PREVIEW = 'vitrine-demo-preview';

/** What a visitor has entered where the gateway wants an access token; gone with the tab. */
export const accessToken = (): string | null => sessionStorage.getItem(TOKEN);

export const keepAccessToken = (token: string): void => sessionStorage.setItem(TOKEN, token);

/** The shop as it will be: one of the gateway's preview tokens, and the time that was chosen, in ISO 8601; null until then. */
export interface Preview {
  readonly token: string;
  readonly at: string | null;
}

export const currentPreview = (): Preview | undefined => {
  const kept = sessionStorage.getItem(PREVIEW);
  return kept === null ? undefined : JSON.parse(kept);
};

/** @param preview undefined ends it */
export const keepPreview = (preview: Preview | undefined): void => {
  if (preview) sessionStorage.setItem(PREVIEW, JSON.stringify(preview));
  else sessionStorage.removeItem(PREVIEW);
};

/** Whether this tab sees what everybody sees now. A stream can bring only that: a browser sends no headers of ours with it. */
export const seesThePresent = (): boolean => accessToken() === null && !currentPreview()?.at;
