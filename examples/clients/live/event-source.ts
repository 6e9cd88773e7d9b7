/** @param show is given each result. @returns what ends the subscription */
export const follow = <Data>(url: string, query: string, show: (data: Data) => void): (() => void) => {
  let source: EventSource;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = (): void => {
    source = new EventSource(`${url}?${new URLSearchParams({ query })}`);
    source.addEventListener('next', ({ data }) => show(JSON.parse(data).data));
    // It comes back by itself when the connection breaks, and not after an answer such as a 503.
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, 10_000 * Math.random());
    });
  };
  open();
  return () => {
    clearTimeout(timer);
    source.close();
  };
};
