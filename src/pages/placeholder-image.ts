import { PROBLEM_DETAILS } from '../http/message.ts';
import { type FindRoute, READ_METHODS } from '../http/route.ts';

/** Names that {@link placeholderImage} accepts: a slug, followed by `-2` to `-9` for further pictures of a product. */
const PLACEHOLDER_NAME = /^[a-z0-9-]{1,80}$/;

/** `/images/<name>.svg` */
export const findImage: FindRoute = (path) => {
  const name = /^\/images\/([^/]+)\.svg$/.exec(path)?.[1];
  if (name === undefined || !PLACEHOLDER_NAME.test(name)) return undefined;
  return {
    methods: READ_METHODS,
    errors: PROBLEM_DETAILS,
    respond: () => ({
      status: 200,
      headers: {
        'content-type': 'image/svg+xml; charset=utf-8',
        'cache-control': 'public, max-age=86400',
        // An SVG opened by itself is a page, hence the policy. Other sites may show the picture: `imageUrl` leads to it.
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
      },
      body: placeholderImage(name),
    }),
  };
};

/**
 * Draws a small still life in place of a photograph. The same name always gives the same picture. `walnut-board-2` shows
 * the objects of `walnut-board` in another arrangement.
 *
 * @param name a name that matches {@link PLACEHOLDER_NAME}; its words are the caption
 * @returns an SVG document of 600 × 600 pixels and less than 3,000 bytes, with no script and no reference to anything
 */
const placeholderImage = (name: string): string => {
  const [, stem = name, view = '1'] = /^(.+)-([2-9])$/.exec(name) ?? [];
  const pick = pickerFor(stem);
  const [wall, table, glow, ink, hues] = pick(palettes);
  const firstHue = pick([0, 1, 2, 3]);
  const still: Still = {
    wall,
    table,
    glow,
    backdrop: pick(backdrops),
    tall: { outline: pick(tallOutlines), hue: hues[firstHue] ?? ink },
    middling: { outline: pick(middlingOutlines), hue: hues[(firstHue + 1) % hues.length] ?? ink },
    low: { outline: pick(lowOutlines), hue: hues[(firstHue + 2) % hues.length] ?? ink },
  };
  const arrange = arrangements[(Number(view) - 1) % arrangements.length] ?? onTheTable;
  // The fourth picture has the arrangement of the first, mirrored.
  const drawing = flipped(arrange(still), pick([true, false]) !== Number(view) > arrangements.length);

  const caption = escapeXml(captionOf(stem));
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="600" viewBox="0 0 600 600" role="img">',
    `<title>${view === '1' ? caption : `${caption}, view ${view}`}</title>`,
    drawing,
    `<text x="300" y="568" fill="${ink}" font-family="Georgia,serif" font-size="21" letter-spacing="1"`,
    ` text-anchor="middle">${caption}</text></svg>`,
  ].join('');
};

type NonEmpty<Item> = readonly [Item, ...Item[]];

/** `glow` is the shape on the wall; `ink` is the caption, which must be legible on `table`. */
type Palette = readonly [wall: string, table: string, glow: string, ink: string, things: NonEmpty<string>];

type Thing = { readonly outline: string; readonly hue: string };

type Still = {
  readonly wall: string;
  readonly table: string;
  readonly glow: string;
  readonly backdrop: string;
  readonly tall: Thing;
  readonly middling: Thing;
  readonly low: Thing;
};

const palettes: NonEmpty<Palette> = [
  ['#f1e4d3', '#d9a679', '#fbf5ea', '#4a2f22', ['#b5532f', '#2f5d62', '#e8b04a', '#7c8c5a']],
  ['#dfe7e3', '#9db5a8', '#f6f5ea', '#22352f', ['#e07a4f', '#f2cc8f', '#3d5a5b', '#c9472f']],
  ['#f6d9cf', '#d98b7c', '#fdf1ea', '#4b1f2a', ['#7d2e46', '#f0a35e', '#35516b', '#fff3e2']],
  ['#cfdbe6', '#8aa7bd', '#f0f4f1', '#182c3d', ['#f2b950', '#d9593d', '#f6ead7', '#2d4a63']],
  ['#ece7c9', '#b9b26c', '#fbf9e8', '#3a3814', ['#6b7a2f', '#d98e32', '#8a3f2b', '#f6eed8']],
  ['#2f3e46', '#52685f', '#45595f', '#f6efde', ['#e9c46a', '#e76f51', '#cad2c5', '#84a98c']],
  ['#e6dcea', '#b39dbd', '#f9f4f5', '#33233f', ['#5b3f73', '#e59a6f', '#f2d16b', '#4f7f86']],
  ['#f4efe6', '#cfc4b2', '#e6ddcf', '#33302b', ['#3a3836', '#c65d3b', '#a39884', '#e9b44c']],
  ['#d5e8ea', '#7fbcbf', '#f3faf6', '#123a40', ['#ef8354', '#f7d488', '#1f6f78', '#d94f5c']],
  ['#3b2d3f', '#6a4a5c', '#55405a', '#f6e7dc', ['#f2a97e', '#d95d67', '#f3d8b6', '#8fb0a9']],
];

const backdrops: NonEmpty<string> = [
  '<circle cx="300" cy="250" r="175"/>',
  '<path d="M150 430V240a150 150 0 0 1 300 0V430z"/>',
  '<path d="M135 70h155v165H135zM310 70h155v165H310zM135 255h155v175H135zM310 255h155v175H310z"/>',
  '<path d="M0 430V300q150-150 300-40t300-90V430z"/>',
  '<path d="M330 0H600V430H120z"/>',
];

/*
 * Right halves of objects, from the top of the axis to its foot at the origin. The left half is the mirror image without
 * the shade. The paths start left of the axis, so that no seam shows.
 */
const tallOutlines: NonEmpty<string> = [
  'M-1-250h19v62q0 20 20 34 22 16 22 48V-12q0 12-12 12H-1z', // bottle
  'M-1-220h30q-4 40 22 74 30 40 14 90-10 34-34 56H-1z', // vase
  'M-1-236q19 0 19 18 0 12-10 17 4 10 6 21 56 20 56 88 0 60-26 92H-1z', // jar with a lid
  'M-1-230q62 0 62 62V0H-1z', // arch
  'M-1-250 64 0H-1z', // cone
];
const middlingOutlines: NonEmpty<string> = [
  'M-1-135h74L59-13Q57 0 45 0H-1z', // beaker
  'M-1-150h60v24h-6V-10q0 10-10 10H-1z', // canister
  'M-1-160h32q-2 22 22 44 20 20 20 52 0 44-34 64H-1z', // jug
  'M-1-140a70 70 0 0 1 0 140z', // ball
  'M-1-165q76 0 76 70H17V-14H46V0H-1z', // lamp
];
const lowOutlines: NonEmpty<string> = [
  'M-1-74h91q-4 48-52 62V0H-1z', // footed bowl
  'M-1-84q12-8 34-6 26 4 26 38 0 38-26 52H-1z', // fruit
  'M-1-52h86v18H71V0H-1z', // dish
  'M-1-64h54v46q0 18-18 18H-1z', // cup
  'M-1-60q81 0 81 60H-1z', // dome
];

const drawThing = ({ outline, hue }: Thing, x: number, y: number, scale: number): string =>
  `<g transform="translate(${x} ${y})scale(${scale})" fill="${hue}">` +
  '<ellipse cx="24" cy="-2" rx="100" ry="10" fill="#000" opacity=".16"/>' +
  `<path d="${outline}" transform="scale(-1 1)"/><path d="${outline}"/><path d="${outline}" fill="#000" opacity=".2"/>` +
  '</g>';

const onTheTable = ({ wall, table, glow, backdrop, tall, middling, low }: Still): string =>
  `<path fill="${wall}" d="M0 0H600V430H0z"/><g fill="${glow}">${backdrop}</g>` +
  `<path fill="${table}" d="M0 430H600V600H0z"/>` +
  drawThing(tall, 225, 455, 1.2) +
  drawThing(middling, 380, 470, 1.15) +
  drawThing(low, 275, 505, 1);

const fromNearby = ({ wall, table, glow, middling, low }: Still): string =>
  `<path fill="${glow}" d="M0 0H600V440H0z"/><circle fill="${wall}" cx="270" cy="270" r="215"/>` +
  `<path fill="${table}" d="M0 440H600V600H0z"/>${drawThing(middling, 270, 490, 2.2)}${drawThing(low, 450, 512, 1.1)}`;

const drawDisc = ({ hue }: Thing, x: number, y: number, radius: number): string =>
  `<g transform="translate(${x} ${y})"><circle cx="13" cy="15" r="${radius}" opacity=".18"/>` +
  `<circle r="${radius}" fill="${hue}"/><circle r="${Math.round(radius * 0.8)}" opacity=".12"/></g>`;

const fromAbove = ({ wall, table, tall, middling, low }: Still): string =>
  `<path fill="${table}" d="M0 0H600V600H0z"/><path fill="${wall}" d="M330 0H600V520L430 540z"/>` +
  drawDisc(middling, 240, 210, 155) +
  drawDisc(tall, 435, 335, 100) +
  drawDisc(low, 235, 440, 68);

/** Arrangements of the first, second and third picture. */
const arrangements = [onTheTable, fromNearby, fromAbove];

const flipped = (drawing: string, flip: boolean): string =>
  flip ? `<g transform="translate(600)scale(-1 1)">${drawing}</g>` : drawing;

/** Choices that depend only on the text: its FNV-1a hash seeds a mulberry32 generator. */
const pickerFor = (text: string): (<Choice>(choices: NonEmpty<Choice>) => Choice) => {
  let state = 0x811c9dc5;
  for (const character of text) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return (choices) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return choices[((mixed ^ (mixed >>> 14)) >>> 0) % choices.length] ?? choices[0];
  };
};

const maxCaptionCharacters = 40;

/** `walnut-board` is captioned “Walnut board”. */
const captionOf = (stem: string): string => {
  const words = stem.split('-').filter(Boolean).join(' ');
  const characters = [...words.charAt(0).toUpperCase(), ...words.slice(1)];
  return characters.length <= maxCaptionCharacters
    ? characters.join('')
    : `${characters
        .slice(0, maxCaptionCharacters - 1)
        .join('')
        .trimEnd()}…`;
};

const xmlEntities: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&apos;'],
]);

const escapeXml = (text: string): string => text.replace(/[&<>"']/g, (character) => xmlEntities.get(character) ?? '');
