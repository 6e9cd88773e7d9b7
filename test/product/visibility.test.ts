import { expect, test } from 'vitest';
import { visibility } from '../../src/product/visibility.ts';

// That each form of the rule says the same is for features.test.ts to say.

const publishedAt = new Date('2026-03-01T12:00:00.000Z');

test.for<['DRAFT' | 'ON_SALE' | 'OFF_SALE', number, boolean]>([
  ['ON_SALE', -1, false],
  ['ON_SALE', 0, true],
  ['ON_SALE', 1, true],
  ['DRAFT', 0, false],
  ['OFF_SALE', 0, false],
])('a product with the status %s, %i ms after its publication, is visible: %s', ([status, ms, isVisible]) => {
  expect(visibility.holds({ status, publishedAt }, new Date(publishedAt.getTime() + ms))).toBe(isVisible);
});
