import { percent } from './format.ts';
import type { Row } from './summary.ts';
import { drawSvg, textAt } from './svg.ts';

// Okabe and Ito's colours, which every kind of sight tells apart: https://jfly.uni-koeln.de/color/
const COLOURS: Readonly<Record<string, string>> = {
  fastify: '#8c8c8c',
  mercurius: '#cc79a7',
  documented: '#e69f00',
  gateway: '#0f7dbf',
  'gateway-off': '#56b4e9',
};

const WIDTH = 880;
const LEFT = 260;
const RIGHT = 90;
const TOP = 92;
const BAR = 11;
const GAP = 3;
const GROUP_GAP = 16;
/** A share above this is cut: it says that the cell was disturbed. */
const MOST = 1.1;

const xOf = (share: number): number => LEFT + (Math.min(share, MOST) / MOST) * (WIDTH - LEFT - RIGHT);

/** The share of the limit by workload, a bar for each server. */
export const drawChart = (workloads: readonly { code: string; title: string }[], rows: readonly Row[]): string => {
  const servers = rows.filter(({ name }) => name in COLOURS);
  const parts: string[] = [];
  let y = TOP;
  for (const { code, title } of workloads) {
    const bars = servers.flatMap(({ name, figures }) => {
      const share = figures.get(code)?.share;
      return share === undefined || Number.isNaN(share) ? [] : [{ colour: COLOURS[name], share }];
    });
    const height = bars.length * (BAR + GAP) - GAP;
    parts.push(textAt(LEFT - 12, y + height / 2 - 2, code, 'text-anchor="end" font-weight="600"'));
    parts.push(textAt(LEFT - 12, y + height / 2 + 13, title, 'text-anchor="end" class="quiet"'));
    for (const { colour, share } of bars) {
      const width = Math.max(1, xOf(share) - LEFT);
      parts.push(`<rect x="${LEFT}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" rx="2" fill="${colour}"/>`);
      parts.push(textAt(LEFT + width + 6, y + BAR - 1.5, percent(share), 'class="quiet" style="font-size: 10.5px"'));
      y += BAR + GAP;
    }
    y += GROUP_GAP - GAP;
  }
  const bottom = y - GROUP_GAP + 8;
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      `<path class="grid" d="M${xOf(share).toFixed(1)} ${TOP - 8}V${bottom}"/>${textAt(xOf(share), bottom + 16, `${share * 100} %`, 'text-anchor="middle" class="quiet"')}`,
  );
  return drawSvg({
    width: WIDTH,
    height: bottom + 28,
    label: 'Share of the limit of node:http, by workload and server',
    title: 'Requests a second, as a share of what node:http can do with the same bytes',
    parts: [drawLegend(servers), ...grid, ...parts],
  });
};

const LEGEND_Y = 60;
/** About the width of a letter in the legend. */
const LEGEND_CHARACTER = 5.6;

const drawLegend = (servers: readonly Row[]): string => {
  let next = 24;
  return servers
    .map(({ name, label }) => {
      const x = next;
      next += 36 + label.length * LEGEND_CHARACTER;
      return `<rect x="${x}" y="${LEGEND_Y - 10}" width="11" height="11" rx="2" fill="${COLOURS[name]}"/>${textAt(x + 17, LEGEND_Y, label, 'style="font-size: 11px"')}`;
    })
    .join('\n');
};
