import { operationUrl } from './graphql.ts';
import type { TypedDocumentString } from './operations.ts';
import { seesThePresent } from './session.ts';

/** After a refusal, such as by a gateway with too many streams, or one that knows no subscriptions. */
const RETRY_MS = 30_000;

interface Event<Data> {
  readonly data?: Data | null;
}

/**
 * Follows a subscription while the page is looked at. The browser connects again by itself when a stream ends, and each stream begins with the
 * current value. Without subscriptions the shop works, too: it shows what it asked for.
 * @param signal ends it
 */
export const subscribe = <Data, Variables>(
  document_: TypedDocumentString<Data, Variables>,
  variables: Variables,
  signal: AbortSignal,
  show: (data: Data) => void,
): void => {
  let source: EventSource | undefined;

  const open = (): void => {
    if (source || signal.aborted || document.hidden || !seesThePresent()) return;
    const opened = new EventSource(operationUrl(String(document_), variables));
    source = opened;
    opened.addEventListener('next', ({ data: text }: MessageEvent<string>) => {
      const { data }: Event<Data> = JSON.parse(text);
      if (data) show(data);
    });
    opened.addEventListener('error', () => {
      if (opened.readyState !== EventSource.CLOSED || source !== opened) return;
      source = undefined;
      setTimeout(open, RETRY_MS);
    });
  };

  const close = (): void => {
    source?.close();
    source = undefined;
  };

  // A browser has few connections to one host over HTTP/1.1; tabs that nobody looks at leave theirs to others.
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()), { signal });
  signal.addEventListener('abort', close);
  open();
};
