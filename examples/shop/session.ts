const KEY = 'vitrine-demo-token';

/** What a visitor has entered where the gateway wants an access token; gone with the tab. */
export const accessToken = (): string | null => sessionStorage.getItem(KEY);

export const keepAccessToken = (token: string): void => sessionStorage.setItem(KEY, token);
