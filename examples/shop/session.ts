import { ofTheTab } from './storage.ts';

const TOKEN = 'vitrine-demo-token';
const PREVIEW = 'vitrine-demo-preview';

/** What a visitor has entered where the gateway wants an access token; gone with the tab. */
export const accessToken = (): string | null => ofTheTab.read(TOKEN);

export const keepAccessToken = (token: string): void => ofTheTab.write(TOKEN, token);

/** The shop as it will be: one of the gateway's preview tokens, and the time that was chosen, in ISO 8601; null until then. */
export interface Preview {
  readonly token: string;
  readonly at: string | null;
}

export const currentPreview = (): Preview | undefined => {
  const kept = ofTheTab.read(PREVIEW);
  return kept === null ? undefined : JSON.parse(kept);
};

/** @param preview undefined ends it */
export const keepPreview = (preview: Preview | undefined): void => {
  ofTheTab.write(PREVIEW, preview ? JSON.stringify(preview) : null);
};

/** Whether this tab sees what everybody sees now. A stream can bring only that: a browser sends no headers of ours with it. */
export const seesThePresent = (): boolean => accessToken() === null && !currentPreview()?.at;
