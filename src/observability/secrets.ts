import type { Config } from '../config.ts';
import { urlsOf } from '../database/database-url.ts';

/** What no log may hold, of what the operator has configured. */
export const secretsOf = ({
  databaseUrl,
  databaseDirectUrl,
  databaseReplicaUrls,
  access,
}: Configured): readonly string[] => [
  ...[databaseUrl, databaseDirectUrl, ...databaseReplicaUrls].flatMap(passwordsIn),
  ...access.tokens.filter((token) => !token.startsWith('sha256:')),
];

type Configured = Pick<Config, 'databaseUrl' | 'databaseDirectUrl' | 'databaseReplicaUrls' | 'access'>;

const passwordsIn = (url = ''): readonly string[] => {
  const { username, pathname, password } = URL.parse(urlsOf(url)[0] ?? '') ?? {};
  // A password that is also the name of something cannot be told from it, and is none.
  const isName = password === username || `/${password}` === pathname;
  return password && !isName ? [password, decoded(password)] : [];
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
