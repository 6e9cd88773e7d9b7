/** One notice of the demo shop. What is left out takes the default named here. */
export type DemoNotice = {
  /** @default 'ANNOUNCEMENT' */
  readonly type?: 'PROMOTION' | 'MAINTENANCE';
  /** @default 'NORMAL' */
  readonly level?: 'IMPORTANT' | 'URGENT';
  readonly title: string;
  /** @default null */
  readonly summary?: string;
  readonly content: string;
  /** @default false */
  readonly pinned?: boolean;
  /** @default 'PUBLISHED' */
  readonly status?: 'DRAFT' | 'WITHDRAWN';
  /** Minutes from seeding to the start; negative when it has started already. */
  readonly startsInMinutes: number;
  /** Minutes from seeding to the end, after the start. @default null, no end */
  readonly endsInMinutes?: number;
  /** @default 0 */
  readonly viewCount?: number;
};

const hour = 60;
const day = 24 * hour;

/**
 * The 25 notices of the demo shop, one or more in every state a notice can be in. Two change state while a visitor
 * watches: one starts three minutes after seeding and one ends five minutes after it. New ones go last, so that ids
 * stay the same.
 */
export const demoNotices: readonly DemoNotice[] = [
  // In effect.
  {
    title: 'Welcome to the new shop window',
    summary: 'Everything we make and sell, on one page that loads quickly.',
    content:
      'We have rebuilt the shop from the shelves up. Every product has better photographs, honest stock figures and a description written by somebody who uses the thing. If you miss something from the old site, write to us: we kept a list.',
    pinned: true,
    startsInMinutes: -210 * day,
    viewCount: 3_000_000_123,
  },
  {
    type: 'PROMOTION',
    level: 'IMPORTANT',
    title: '50% off every second linen set',
    summary: 'Buy one set of linen and pay half for the next.',
    content:
      'Until the end of the month, the second set of bed or table linen in your basket costs half. The cheaper one of the two counts as the second. The discount shows in the basket before you pay, and it works on colours that are already reduced.',
    pinned: true,
    startsInMinutes: -6 * day,
    endsInMinutes: 9 * day,
    viewCount: 18_452,
  },
  {
    type: 'MAINTENANCE',
    level: 'URGENT',
    title: 'Card payments are slow this morning',
    summary: 'Payments arrive, but they may take a minute. Please do not press twice.',
    content:
      'Our payment provider is answering slowly. Your order is safe once you have seen the confirmation page, even if the e-mail is late. Please do not press the button twice. We will take this notice down when things are back to normal.',
    pinned: true,
    startsInMinutes: -2 * hour,
    endsInMinutes: 5,
    viewCount: 947,
  },
  {
    title: 'Free delivery from $75',
    summary: 'It used to be $100. The parcels got smaller, so the limit did too.',
    content:
      'Orders of $75 or more now travel free of charge. We have halved the air in our boxes over the last year, and this is what became of the savings. Smaller orders still cost a flat $5.90.',
    startsInMinutes: -34 * day,
    viewCount: 52_310,
  },
  {
    level: 'IMPORTANT',
    title: 'Petrel kitchen shears: please check the screw',
    summary: 'Pairs bought between March and May may have a loose pivot.',
    content:
      'A small number of kitchen shears left the workshop with a pivot screw that can work itself loose. Look for the letter K stamped beside the screw. If yours has one, stop using them and write to us for a new pair. You need not send the old ones back.',
    startsInMinutes: -19 * day,
    viewCount: 8_120,
  },
  {
    type: 'PROMOTION',
    title: 'A bag of beans with every kettle',
    summary: 'Heron kettles come with 250 g of the house blend this fortnight.',
    content:
      'Whoever buys a Heron kettle gets a bag of our house blend on top. It goes into the parcel by itself; there is no code to remember. While the roastery keeps up.',
    startsInMinutes: -3 * day,
    endsInMinutes: 11 * day,
    viewCount: 3_377,
  },
  {
    title: 'Knives can be sharpened in the shop',
    content:
      'Bring your kitchen knives on a Wednesday and collect them on Thursday, whoever made them. The first one is free and every further one costs $4. Please wrap the blades in a tea towel, for the sake of the people on the bus.',
    startsInMinutes: -88 * day,
    viewCount: 6_004,
  },
  {
    type: 'MAINTENANCE',
    title: 'Short night break on Sunday',
    summary: 'The basket rests between 02:00 and 03:00 UTC. Browsing goes on.',
    content:
      'We are moving the order desk to a bigger machine on Sunday night. You can look around all the while, but you cannot place an order between 02:00 and 03:00 UTC. Baskets are kept as they are.',
    startsInMinutes: -1 * day,
    endsInMinutes: 4 * day,
    viewCount: 412,
  },
  {
    title: 'Spare parts have their own shelf',
    summary: 'Springs, seals, burrs and blades for nearly everything we have sold.',
    content:
      'A worn washer is no reason to buy a new kettle. We now list spare parts for 140 products, going back to the first year of the shop. If the part you need is missing, send a photograph with a coin for scale and we will look in the drawers.',
    startsInMinutes: -51 * day,
    viewCount: 9_765,
  },
  {
    type: 'PROMOTION',
    title: 'Code SEEDS_2: two packets for one',
    summary: 'Type the code with the underscore and the second packet is free.',
    content:
      'The garden shelf is overflowing, so every second packet of seeds is free with the code SEEDS_2. The underscore is part of the code. It applies to wildflowers, tomatoes and anything else that comes in a packet.',
    startsInMinutes: -8 * day,
    endsInMinutes: 22 * day,
    viewCount: 2_208,
  },
  {
    title: 'Our paper mill turns two hundred',
    content:
      'The mill that makes the paper for our notebooks has been at the same bend of the same river for two centuries. They have marked the year with a watermark of a heron, which you will find on the last page of every notebook from this spring. Hold it up to a window.',
    startsInMinutes: -15 * day,
    viewCount: 1_530,
  },
  {
    level: 'IMPORTANT',
    title: 'Parcels to islands take two days longer',
    summary: 'The ferry is in dry dock; the replacement is smaller.',
    content:
      'Until the ferry is back, parcels to the islands travel on a smaller boat that sails every other day. Please allow two more days. Plants and candles are not shipped there for now, because the boat has no shade.',
    startsInMinutes: -12 * day,
    endsInMinutes: 2 * day + 6 * hour,
    viewCount: 1_984,
  },
  {
    title: 'Opening hours: now also on Saturday afternoon',
    summary: 'The shop on the corner stays open until six.',
    content:
      'From this month the shop is open on Saturdays from ten until six. There is coffee at the counter after two. Dogs are still welcome, and still not allowed on the quilts.',
    startsInMinutes: -27 * day,
    viewCount: 4_411,
  },
  {
    title: 'Meet the potter — an evening at the wheel',
    summary: 'Twelve places, one wheel, no experience needed.',
    content:
      'The maker of the Pelican jug is coming to the shop with a wheel and forty kilos of clay. She will throw, talk and let the brave have a go. Places are free but few: reply to any of our e-mails with the word “clay”.',
    startsInMinutes: -5 * hour,
    endsInMinutes: 16 * day,
  },
  // Ended.
  {
    type: 'PROMOTION',
    level: 'IMPORTANT',
    title: 'Winter clearance: wool at three quarters of the price',
    summary: 'Throws, socks and hats while they lasted.',
    content:
      'Everything woollen was reduced by a quarter until the first warm day. Thank you for clearing the shelves so thoroughly. The sheep have been informed.',
    pinned: true,
    startsInMinutes: -120 * day,
    endsInMinutes: -75 * day,
    viewCount: 41_076,
  },
  {
    type: 'MAINTENANCE',
    level: 'URGENT',
    title: 'Search was down for an hour',
    summary: 'It works again. Sorry for the detour.',
    content:
      'Between 09:10 and 10:05 UTC the search box found nothing, whatever was typed. A full disk was to blame, and we were slow to see it. The disk is larger now and rings a bell before it fills up.',
    startsInMinutes: -9 * day,
    endsInMinutes: -8 * day,
    viewCount: 733,
  },
  {
    title: 'Closed for stocktaking',
    content:
      'We counted every spoon last week and sent no parcels on Monday and Tuesday. Orders from those days left on Wednesday. The count was off by three egg cups, and we suspect the cat.',
    startsInMinutes: -16 * day,
    endsInMinutes: -13 * day,
    viewCount: 1_120,
  },
  // Not started yet; the first of them starts while one watches.
  {
    type: 'PROMOTION',
    level: 'IMPORTANT',
    title: 'Flash offer: the walnut board with its own wax',
    summary: 'For one day, every end-grain board comes with a second tin of wax.',
    content:
      'Twenty-four hours, one board, two tins of wax. The second tin goes into the parcel by itself. The offer begins at the moment you see this line.',
    startsInMinutes: 3,
    endsInMinutes: 1 * day + 3,
  },
  {
    title: 'The autumn catalogue is at the printer',
    summary: 'Eighty pages, no perfume samples.',
    content:
      'The printed catalogue comes out next week. It is free with any order, or alone for the price of a stamp. The cover is by the illustrator who drew the fox on our sealing wax.',
    startsInMinutes: 4 * day,
  },
  {
    type: 'MAINTENANCE',
    level: 'IMPORTANT',
    title: 'New warehouse: no parcels for one day',
    summary: 'We are moving across the river, with 11,000 boxes.',
    content:
      'On moving day nothing is sent and nothing can be collected. Orders are taken as usual and leave the day after, from a building with twice as many windows. Returns should carry the new address from that day on.',
    pinned: true,
    startsInMinutes: 12 * day,
    endsInMinutes: 14 * day,
  },
  // Drafts.
  {
    title: 'Gift wrapping, a proposal',
    summary: 'Cloth instead of paper?',
    content:
      'We could wrap presents in a square of printed cotton that becomes a napkin afterwards. It costs about two dollars more than paper. To be decided before the first Sunday of Advent.',
    status: 'DRAFT',
    startsInMinutes: -2 * day,
  },
  {
    type: 'PROMOTION',
    title: 'Listening week: 10% off everything with a plug',
    content:
      'One week in which everything that makes a sound costs a tenth less. The dates depend on when the turntables come in. Wording of the small print to follow.',
    status: 'DRAFT',
    startsInMinutes: 20 * day,
    endsInMinutes: 27 * day,
  },
  {
    type: 'MAINTENANCE',
    level: 'URGENT',
    title: 'Template for an outage',
    summary: 'Copy me, fill me in, publish me.',
    content:
      'What is not working, since when, and what visitors should do instead. When the next update will be posted. Keep it to three sentences.',
    status: 'DRAFT',
    startsInMinutes: -150 * day,
  },
  // Withdrawn.
  {
    type: 'PROMOTION',
    title: 'Three for two on all tableware',
    summary: 'Withdrawn: the till counted it as two for three.',
    content:
      'Three pieces of tableware for the price of two. We took this down on the second day, when the till began to charge for an extra plate. Everyone affected has had their money back, and kept the plate.',
    status: 'WITHDRAWN',
    startsInMinutes: -40 * day,
    endsInMinutes: 20 * day,
    viewCount: 2_650,
  },
  {
    level: 'IMPORTANT',
    title: 'Ink bottles may leak in hot weather',
    content:
      'We asked you to store ink upright and cool while a batch of caps was being checked. The caps turned out to be fine, and the leak was in our own warehouse roof. There is nothing you need to do.',
    status: 'WITHDRAWN',
    startsInMinutes: -62 * day,
    viewCount: 388,
  },
];
