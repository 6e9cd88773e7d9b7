/** Draws the pictures of the demo catalogue: `npm run generate` writes them into prisma/demo/pictures/. */

import { existsSync, readFileSync } from 'node:fs';

const DEMO = new URL('../../prisma/demo/', import.meta.url);

/** A ground, and up to three things, each with a colour where its drawing leaves one open: `["rose", "cushion #b5793a"]` */
type Scene = readonly [ground: string, ...things: string[]];

const readJson = (url: URL) => JSON.parse(readFileSync(url, 'utf8'));

/** @returns each picture that the demo catalogue names, by the name of its file: `kitchen-radio.svg`, and with `-2` to `-4` for further views of the same product */
export const drawDemoPictures = (): ReadonlyMap<string, string> => {
  const scenes: Record<string, Scene> = readJson(new URL('pictures.json', import.meta.url));
  const grounds: Record<string, Ground> = readJson(new URL('grounds.json', import.meta.url));
  const draw = (file: string): string => {
    const [, stem = '', view = '1'] = /^(.+?)(?:-([2-4]))?\.svg$/.exec(file) ?? [];
    const scene = scenes[stem];
    if (!scene) throw new Error(`pictures.json has no ${stem}`);
    const [ground, ...things] = scene;
    return picture(grounds[ground] ?? NIGHT, things.map(readThing), Number(view));
  };
  return new Map(namedPictures().map((file) => [file, draw(file)]));
};

/** The names of the files of all pictures in the demo catalogue. */
const namedPictures = (): string[] => {
  const files = ['categories', 'kitchen-and-table', 'home-and-study', 'outdoors'];
  const rows: Row[] = files.flatMap((name) => readJson(new URL(`${name}.json`, DEMO)));
  const paths = rows.flatMap(({ variants = [], ...row }) =>
    [row, ...variants].flatMap(({ imageUrl = [], imageUrls = [] }) => [imageUrl, imageUrls].flat()),
  );
  return [...new Set(paths)].map((path) => path.replace('/images/', ''));
};

interface Row {
  readonly imageUrl?: string;
  readonly imageUrls?: readonly string[];
  readonly variants?: readonly Row[];
}

/** The shapes of a thing, 32 units wide and high, in its colour. */
const readThing = (thing: string): string => {
  const [name, color = '#3f7f8c'] = thing.split(' ');
  const own = new URL(`drawings/${name}.svg`, import.meta.url);
  const svg = readFileSync(existsSync(own) ? own : new URL(`fluent-emoji/${name}.svg`, import.meta.url), 'utf8');
  return `<g color="${color}">${svg.slice(svg.indexOf('>') + 1, svg.lastIndexOf('</svg>'))}</g>`;
};

type Ground = readonly [wall: string, glow: string, floor: string];

const NIGHT: Ground = ['#2c3a44', '#3b4d59', '#22303a'];

/** @returns an SVG document of 600 × 600 pixels with no script and no reference to anything */
const picture = (ground: Ground, things: readonly string[], view: number): string => {
  const parts = things.map((shapes, index) => `<g id="t${index}">${shapes}</g>`).join('');
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="600" viewBox="0 0 60 60">',
    `<defs>${parts}</defs>`,
    (VIEWS[view - 1] ?? together)(ground, things.length),
    '</svg>',
  ].join('');
};

/** A thing, `size` units wide and high. */
const place = (index: number, x: number, y: number, size: number, turn = 0): string =>
  `<use href="#t${index}" transform="translate(${x} ${y})scale(${size / 32})rotate(${turn} 16 16)"/>`;

/** Where one, two or three things stand: those in front come last. */
const PLACES: readonly (readonly (readonly [index: number, x: number, y: number, size: number])[])[] = [
  [[0, 12, 11, 36]],
  [
    [1, 28, 14, 27],
    [0, 5, 20, 27],
  ],
  [
    [1, 18.5, 12, 23],
    [0, 4, 22, 23],
    [2, 33, 22, 23],
  ],
];

const together = ([wall, glow, floor]: Ground, count: number): string => {
  const places = PLACES[count - 1] ?? [];
  const shadows = places.map(
    ([, x, y, size]) =>
      `<ellipse cx="${x + size / 2}" cy="${y + size * 0.96}" rx="${size * 0.4}" ry="${size * 0.05}" fill="#000" opacity=".14"/>`,
  );
  return [
    `<path fill="${wall}" d="M0 0h60v60H0z"/><circle cx="30" cy="28" r="23" fill="${glow}"/>`,
    `<path fill="${floor}" d="M0 44h60v16H0z"/>`,
    `<path fill="${glow}" fill-opacity=".45" d="M7 44h46a23 23 0 0 1-46 0z"/>`,
    ...shadows,
    ...places.map(([index, x, y, size]) => place(index, x, y, size)),
  ].join('');
};

const fromNearby = ([wall, glow]: Ground): string =>
  `<path fill="${glow}" d="M0 0h60v60H0z"/><circle cx="46" cy="52" r="40" fill="${wall}"/>${place(0, 2, 4, 62, -12)}`;

const asPattern = ([wall, , floor]: Ground, count: number): string =>
  `<path fill="${wall}" d="M0 0h60v60H0z"/>${[-1, 0, 1, 2, 3]
    .flatMap((row) =>
      [0, 1, 2, 3].map((column) => {
        const [x, y] = [column * 18 - (row % 2 === 0 ? 6 : 15), row * 16 - 1];
        const spot = `<circle cx="${x + 7}" cy="${y + 7}" r="9" fill="${floor}" opacity=".35"/>`;
        return spot + place((row + column + 1) % count, x, y, 14, column % 2 === 0 ? 14 : -14);
      }),
    )
    .join('')}`;

const atNight = (_: Ground, count: number): string =>
  `<g transform="translate(60)scale(-1 1)">${together(NIGHT, count)}</g>`;

const VIEWS = [together, fromNearby, asPattern, atNight];
