import { expect, test } from 'vitest';
import { inEffect, readable } from '../../src/notice/in-effect.ts';

// That each form of a rule says the same is for features.test.ts to say.

const startsAt = new Date('2026-03-01T12:00:00.000Z');
const endsAt = new Date('2026-03-01T20:00:00.000Z');
const after = (moment: Date, ms: number): Date => new Date(moment.getTime() + ms);

const NEITHER = { isReadable: false, isInEffect: false };
const BOTH = { isReadable: true, isInEffect: true };
const ENDED = { isReadable: true, isInEffect: false };

test.for([
  ['before its start', after(startsAt, -1), NEITHER],
  ['at its very start', startsAt, BOTH],
  ['just before its end', after(endsAt, -1), BOTH],
  ['at its very end', endsAt, ENDED],
  ['after its end', after(endsAt, 1), ENDED],
] as const)('a notice can be read from its start on, and is listed until its end: %s', ([, now, expected]) => {
  const notice = { status: 'PUBLISHED', startsAt, endsAt } as const;
  expect({ isReadable: readable.holds(notice, now), isInEffect: inEffect.holds(notice, now) }).toEqual(expected);
  for (const status of ['DRAFT', 'WITHDRAWN'] as const) expect(inEffect.holds({ ...notice, status }, now)).toBe(false);
});

test('a notice without an end is in effect for ever', () => {
  expect(inEffect.holds({ status: 'PUBLISHED', startsAt, endsAt: null }, new Date('9999-01-01Z'))).toBe(true);
});
