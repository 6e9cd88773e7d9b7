import { spawn } from 'node:child_process';
import { findProgram } from './programs.ts';

export const hasCurl = findProgram('curl') !== undefined;

export interface Transfer {
  readonly url: string;
  readonly method: string;
  readonly version: '1.0' | '1.1';
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string | undefined;
}

export interface Transferred {
  /** Zero where curl has nothing to complain of: https://curl.se/docs/manpage.html#EXIT */
  readonly exitCode: number;
  readonly complaint: string;
  readonly status: number;
  readonly contentType: string;
  readonly bodyBytes: number;
}

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

/** What curl itself would add is taken away, unless it is given. */
const DEFAULT_HEADERS = ['accept', 'content-type', 'user-agent'];

const configOf = ({ url, method, version, headers, body }: Transfer): string => {
  const given = headers.map(([name]) => name);
  const lines = [
    ...DEFAULT_HEADERS.filter((name) => !given.includes(name)).map((name) => `${name}:`),
    // Without a value, curl wants a semicolon.
    ...headers.map(([name, value]) => (value === '' ? `${name};` : `${name}: ${value}`)),
  ];
  return [
    `url = ${quoted(url)}`,
    `http${version}`,
    ...(method === 'HEAD' ? ['head'] : [`request = ${method}`]),
    ...lines.map((line) => `header = ${quoted(line)}`),
    ...(body === undefined ? [] : [`data-binary = ${quoted(body)}`]),
    'output = /dev/null',
    'max-time = 10',
    'write-out = "%{exitcode}\\t%{http_code}\\t%{size_download}\\t%{content_type}\\t%{errormsg}\\n"',
  ].join('\n');
};

/** Makes the requests one after the other, on connections that curl keeps alive where it may. */
export const transferAll = async (transfers: readonly Transfer[]): Promise<Transferred[]> => {
  const child = spawn('curl', ['--silent', '--disable', '--globoff', '--config', '-'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.end(transfers.map(configOf).join('\nnext\nsilent\ngloboff\n'));
  let output = '';
  for await (const chunk of child.stdout) output += chunk;
  return output
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [exitCode, status, bodyBytes, contentType = '', complaint = ''] = line.split('\t');
      return {
        exitCode: Number(exitCode),
        status: Number(status),
        bodyBytes: Number(bodyBytes),
        contentType,
        complaint,
      };
    });
};
