import { count, percent } from '../report/format.ts';
import { drawSvg, textAt } from '../report/svg.ts';
import type { CacheSample } from './measure.ts';

/** What is drawn against the size of the cache. */
interface Panel {
  readonly title: string;
  readonly of: (sample: CacheSample) => number;
  readonly write: (value: number) => string;
}

const PANELS: readonly Panel[] = [
  { title: 'Answers from memory', of: ({ hitShare }) => hitShare, write: percent },
  { title: 'Memory of the process, MB', of: ({ rssMb }) => rssMb, write: count },
  { title: 'CPU of a request, with PostgreSQL, µs', of: (each) => each.serverUs + each.postgresUs, write: count },
];

// Okabe and Ito's colours, which every kind of sight tells apart: https://jfly.uni-koeln.de/color/
const COLOURS = ['#0f7dbf', '#e69f00', '#cc79a7', '#8c8c8c'];

const WIDTH = 880;
const PANEL_WIDTH = 268;
const PANEL_GAP = 18;
const LEFT = 24;
const TOP = 108;
const HEIGHT = 170;
const INSET = 22;
const LEGEND_Y = 60;

/** Hit rate, memory and CPU time against the size of the cache, a line for each catalogue; the sizes are as far apart as their order says. */
export const drawCacheChart = (samples: readonly CacheSample[], nameOf: (products: number) => string): string => {
  const sizes = [...new Set(samples.map(({ cacheMb }) => cacheMb))];
  const catalogues = [...Map.groupBy(samples, ({ products }) => products)];
  const colourOf = (index: number): string => COLOURS[index % COLOURS.length] ?? '';
  const bottom = TOP + HEIGHT;

  const drawPanel = ({ title, of, write }: Panel, panel: number): string => {
    const left = LEFT + panel * (PANEL_WIDTH + PANEL_GAP);
    const most = Math.max(...samples.map(of));
    const xOf = (cacheMb: number): number =>
      left + INSET + (sizes.indexOf(cacheMb) / Math.max(1, sizes.length - 1)) * (PANEL_WIDTH - 2 * INSET);
    const yOf = (value: number): number => bottom - (value / most) * HEIGHT;
    const ticks = sizes.map((mb) => textAt(xOf(mb), bottom + 18, `${mb}`, 'text-anchor="middle" class="quiet"'));
    const lines = catalogues.map(([, own], index) => {
      const points = own.map((sample) => `${xOf(sample.cacheMb).toFixed(1)},${yOf(of(sample)).toFixed(1)}`);
      return `<polyline points="${points.join(' ')}" fill="none" stroke="${colourOf(index)}" stroke-width="2"/>`;
    });
    const values = sizes.flatMap((mb) => {
      const own = samples.filter(({ cacheMb }) => cacheMb === mb);
      const ordered = own.toSorted((one, other) => of(other) - of(one));
      return own.map((sample) => {
        const y = yOf(of(sample));
        // The larger one has its number above its point, the others below; equal ones have it once.
        const label = y + (sample === ordered[0] ? -7 : 15);
        const text =
          sample !== ordered[0] && write(of(sample)) === write(of(ordered[0] ?? sample)) ? '' : write(of(sample));
        const colour = colourOf(catalogues.findIndex(([products]) => products === sample.products));
        return `<circle cx="${xOf(mb).toFixed(1)}" cy="${y.toFixed(1)}" r="3" fill="${colour}"/>${textAt(xOf(mb), label, text, 'text-anchor="middle" class="quiet" style="font-size: 10px"')}`;
      });
    });
    const axis = `<path class="grid" d="M${left} ${bottom}H${left + PANEL_WIDTH}"/>`;
    return [textAt(left, TOP - 22, title, 'font-weight="600"'), axis, ...ticks, ...lines, ...values].join('\n');
  };

  const legend = catalogues.map(
    ([products], index) =>
      `<rect x="${LEFT + index * 170}" y="${LEGEND_Y - 10}" width="11" height="11" rx="2" fill="${colourOf(index)}"/>${textAt(LEFT + 17 + index * 170, LEGEND_Y, nameOf(products))}`,
  );
  return drawSvg({
    width: WIDTH,
    height: bottom + 56,
    label: 'Hit rate, memory and CPU time by the size of the cache and of the catalogue',
    title: 'What a larger cache gives, and takes',
    parts: [
      ...legend,
      ...PANELS.map(drawPanel),
      textAt(WIDTH / 2, bottom + 42, 'CACHE_MAX_MB', 'text-anchor="middle" class="quiet"'),
    ],
  });
};
