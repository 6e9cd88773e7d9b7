/** A shelf of the demo shop. Order in the list is the order on the page. */
export type DemoCategory = {
  readonly name: string;
  /** Unique in the whole tree; also the name of the picture. */
  readonly slug: string;
};

/** A department of the demo shop, with the shelves in it. Only shelves hold products. */
export type DemoDepartment = DemoCategory & { readonly children: readonly DemoCategory[] };

/** The category tree of the demo shop: two levels, both in the order shown to visitors. */
export const demoDepartments: readonly DemoDepartment[] = [
  {
    name: 'Kitchen & Table',
    slug: 'kitchen-and-table',
    children: [
      { name: 'Cookware', slug: 'cookware' },
      { name: 'Tableware', slug: 'tableware' },
      { name: 'Coffee & Tea', slug: 'coffee-and-tea' },
    ],
  },
  {
    name: 'Home & Study',
    slug: 'home-and-study',
    children: [
      { name: 'Linen & Bath', slug: 'linen-and-bath' },
      { name: 'Stationery', slug: 'stationery' },
      { name: 'Listening', slug: 'listening' },
    ],
  },
  {
    name: 'Outdoors',
    slug: 'outdoors',
    children: [
      { name: 'Garden', slug: 'garden' },
      { name: 'Trail & Camp', slug: 'trail-and-camp' },
    ],
  },
];
