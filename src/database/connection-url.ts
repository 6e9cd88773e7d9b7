import { parseIntoClientConfig } from 'pg-connection-string';

const AUTHORITY = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

/** The URL of each host that a URL names, in their order: `postgresql://a:5433,b/shop` is two, as libpq has it. */
export const urlsOf = (url: string): readonly string[] => {
  const [, before = '', hosts = '', after = ''] = AUTHORITY.exec(url) ?? [];
  return hosts.includes(',') ? hosts.split(',').map((host) => `${before}${host}${after}`) : [url];
};

/** The URLs of a list with commas between; a comma inside of one goes before another host. */
export const splitUrls = (list: string): readonly string[] =>
  list
    .split(/,(?=\s*(?:postgres(?:ql)?:\/\/|$))/)
    .map((url) => url.trim())
    .filter(Boolean);

const SESSION_ATTRIBUTES = ['any', 'read-write', 'primary'];

/** Whether its target_session_attrs fits a gateway, which writes. */
export const asksForWrites = (url: string): boolean => {
  const [, attributes] = /[?&]target_session_attrs=([^&#]*)/.exec(url) ?? [];
  return attributes === undefined || SESSION_ATTRIBUTES.includes(attributes);
};

/** Whether it names exactly one server, and not the primary among several. */
export const namesOneServer = (url: string): boolean => {
  const [, , hosts = '', after = ''] = AUTHORITY.exec(url) ?? [];
  return !hosts.includes(',') && !/[,\s]|[?&]target_session_attrs=/.test(after);
};

/** Its hosts and ports, for messages. */
export const placeOf = (url: string): string =>
  urlsOf(url)
    .map((each) => {
      const { host, port } = parseIntoClientConfig(each);
      return `${host || 'localhost'}:${port ?? 5432}`;
    })
    .join(' or ');

export const isPostgresUrl = (value: string): boolean => /^postgres(ql)?:\/\//.test(value);

/** Whether it can be parsed. A `#` is most likely part of a password that was not percent-encoded: the parser would leave out the rest. */
export const isWholeUrl = (value: string): boolean => {
  if (value.includes('#')) return false;
  return urlsOf(value).every((url) => {
    const fault = faultOf(url);
    return hasHost(url, value) && (fault === undefined || fault.syscall !== undefined);
  });
};

/** Whether the certificates and keys that it names can be read. */
export const hasReadableFiles = (value: string): boolean =>
  urlsOf(value).every((url) => faultOf(url)?.syscall === undefined);

/** Of several hosts, each must have a name. */
const hasHost = (url: string, whole: string): boolean => url === whole || AUTHORITY.exec(url)?.[2] !== '';

const faultOf = (value: string): NodeJS.ErrnoException | undefined => {
  try {
    parseIntoClientConfig(value);
    return undefined;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
};
