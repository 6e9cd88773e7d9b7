import { createHttpClient } from './http-client.ts';
import { LISTS } from './requests.ts';

/** More than any cache of documents holds: what the memory is measured by afterwards is full. */
const DOCUMENTS = 1500;

const CLIENTS = 10;

/** Asks for lists in spellings that are not used later on. */
export const warmUp = async (url: string): Promise<void> => {
  const http = createHttpClient();
  let asked = 0;
  const ask = async (): Promise<void> => {
    while (asked < DOCUMENTS) {
      asked += 1;
      for (const { make } of LISTS) await http.send(url, make(1_000_000 + asked));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, ask));
  http.close();
};
