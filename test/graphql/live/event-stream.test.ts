import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EventStreams } from '../../../src/graphql/live/event-stream.ts';
import { MAX_UNREAD_BYTES } from '../../../src/http/message.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const EVENT_BYTES = MAX_UNREAD_BYTES * 2;

test('a client that is still reading a large event gets no comment, for which it would be cut', async () => {
  const streams = new EventStreams();
  let unread = 0;
  let isCut = false;
  let comments = 0;
  const events = async function* () {
    yield Buffer.alloc(EVENT_BYTES);
    await new Promise(() => {});
  };
  const stop = streams.send(
    events(),
    {
      write: ({ byteLength }) => {
        isCut ||= unread > MAX_UNREAD_BYTES;
        if (byteLength === EVENT_BYTES) unread = byteLength;
        else comments += 1;
        return !isCut;
      },
      hasUnread: () => unread > 0,
      end: () => {},
    },
    () => {},
  );
  await vi.advanceTimersByTimeAsync(60_000);
  // The one at the beginning.
  expect(comments).toBe(1);
  unread = 0;
  await vi.advanceTimersByTimeAsync(12_000);
  expect(comments).toBe(2);
  expect(isCut).toBe(false);
  stop();
});
