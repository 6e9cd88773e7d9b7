import { readFile } from 'node:fs/promises';
import { AppError } from '../errors.ts';
import { type FindRoute, responseRoute } from '../http/route.ts';

const FOLDER = new URL('../../prisma/demo/pictures/', import.meta.url);

/** A ground, and up to three things, each with a colour where its drawing leaves one open: `["rose", "cushion #b5793a"]` */
type Scene = readonly [ground: string, ...things: string[]];

const HEADERS = {
  'content-type': 'image/svg+xml; charset=utf-8',
  'cache-control': 'public, max-age=86400',
  // An SVG opened by itself is a page, hence the policy. Other sites may show the picture: `imageUrl` leads to it.
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
};

/** The pictures of the demo catalogue: `/images/<slug>.svg`, with `-2` to `-4` for further views of the same product. */
export const createDemoPictures = (): FindRoute => {
  let scenes: Promise<ReadonlyMap<string, Scene>> | undefined;
  let grounds: Promise<ReadonlyMap<string, Ground>> | undefined;

  const draw = async (name: string): Promise<string> => {
    scenes ??= readNamed('pictures.json');
    grounds ??= readNamed('grounds.json');
    const [, stem = name, view = '1'] = /^(.+)-([2-4])$/.exec(name) ?? [];
    const scene = (await scenes).get(stem);
    if (!scene) throw new AppError('NOT_FOUND', 'There is no picture of this name.');
    const [ground, ...things] = scene;
    const drawings = await Promise.all(things.map(readThing));
    return picture((await grounds).get(ground) ?? NIGHT, drawings, Number(view));
  };

  return (path) => {
    const name = /^\/images\/([a-z0-9-]{1,80})\.svg$/.exec(path)?.[1];
    return name === undefined
      ? undefined
      : responseRoute(async () => ({ status: 200, headers: HEADERS, body: await draw(name) }));
  };
};

const readNamed = async <Value>(file: string): Promise<ReadonlyMap<string, Value>> =>
  new Map(Object.entries(JSON.parse(await readFile(new URL(file, FOLDER), 'utf8'))));

/** The shapes of a thing, 32 units wide and high, in its colour. */
const readThing = async (thing: string): Promise<string> => {
  const [name, color = '#3f7f8c'] = thing.split(' ');
  const read = (folder: string): Promise<string> => readFile(new URL(`${folder}/${name}.svg`, FOLDER), 'utf8');
  const svg = await read('drawings').catch(() => read('fluent-emoji'));
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
