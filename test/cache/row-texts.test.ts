import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { ROW_ALONE, RowTexts } from '../../src/cache/row-texts.ts';

test('a text that was put together of many parts takes the memory of one', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const [ROWS, PARTS] = [4000, 60];
  const kept: RowTexts[] = [];
  const fill = (): void => {
    for (let row = 0; row < ROWS; row += 1) {
      let text = '';
      for (let part = 0; part < PARTS; part += 1) text += `part ${row + part}`;
      const texts = new RowTexts({}, 10_000, { hasRoom: () => true, changed: () => {} });
      texts.keep('all', ROW_ALONE, text);
      kept[row] = texts;
    }
  };
  // By then V8 has compiled what is measured.
  fill();
  fill();
  kept.length = 0;
  collect();
  const before = process.memoryUsage().heapUsed;
  fill();
  collect();
  const bytesEach = (process.memoryUsage().heapUsed - before) / ROWS;
  // 60 parts of 8 or 9 characters, and some 350 bytes of objects; 2.7 kB as a tree.
  expect(bytesEach).toBeLessThan(1500);
  expect(kept).toHaveLength(ROWS);
});
