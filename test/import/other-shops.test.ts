import { describe, expect, test } from 'vitest';
import { parseMapping } from '../../src/import/formats/formats.ts';
import { jsonLines, useImportDatabase } from '../support/import.ts';

const { sql, column, importText } = useImportDatabase();

/** The columns and the notation are those of the shops' own exports. */
describe('an export of', () => {
  test('Magento: several paths, numbers for true and false, and times in a notation of its own', async () => {
    const csv = `sku,store_view_code,product_type,categories,name,description,product_online,price,url_key,base_image,created_at,updated_at,qty,additional_images
24-MB01,,simple,"Default Category/Gear,Default Category/Gear/Bags,Default Category/Sale",Joust Duffle Bag,<p>Sporty</p>,1,34.000000,joust-duffle-bag,/m/b/mb01.jpg,"11/27/26, 9:00 AM","11/27/26, 9:00 AM",100.0000,"/m/b/mb01.jpg,/m/b/mb02.jpg"
24-MB04,,simple,Default Category/Collections,Strive Pack,<p>x</p>,2,32.000000,strive-pack,/m/b/mb04.jpg,"11/27/26, 9:00 AM","11/27/26, 9:00 AM",0.0000,
`;
    const map = parseMapping([
      'category=categories,status=product_online,stock=qty,slug=url_key,imageUrl=base_image,imageUrls=additional_images',
      'createdAt=,updatedAt=',
    ]);
    expect(await importText(csv, { map, listSeparator: ',', pathSeparator: '/' })).toMatchObject({
      created: 2,
      createdCategories: 4,
      faults: [],
    });
    expect(
      await sql(`select p.slug, price, stock, status, image_urls, c.slug as category
        from product p join category c on c.id = category_id order by p.id`),
    ).toEqual([
      {
        slug: 'joust-duffle-bag',
        price: '34.00',
        stock: 100,
        status: 'ON_SALE',
        image_urls: ['/m/b/mb01.jpg', '/m/b/mb02.jpg'],
        category: 'default-category-gear-bags',
      },
      {
        slug: 'strive-pack',
        price: '32.00',
        stock: 0,
        status: 'OFF_SALE',
        image_urls: [],
        category: 'default-category-collections',
      },
    ]);
  });

  test('PrestaShop: columns with commas in their names, and lists with commas', async () => {
    const csv = `Product ID;Active (0/1);Name *;Categories (x,y,z...);Price tax excluded;Quantity;Tags (x,y,z...);Image URLs (x,y,z...)
1;1;T-shirt;Men,Clothes;23.900000;300;shirt,bird;https://shop.example/1.jpg,https://shop.example/2.jpg
2;0;Cushion;Home;18.9;0;;
`;
    const map = parseMapping([
      'category=Categories (x,y,z...),price=Price tax excluded,status=Active (0/1),stock=Quantity',
      'tags=Tags (x,y,z...),imageUrls=Image URLs (x,y,z...)',
    ]);
    expect(await importText(csv, { map, listSeparator: ',' })).toMatchObject({ created: 2, faults: [] });
    expect(
      await sql(`select p.name, status, stock, tags, array_length(image_urls, 1) as pictures, c.name as category
        from product p join category c on c.id = category_id order by p.id`),
    ).toEqual([
      { name: 'T-shirt', status: 'ON_SALE', stock: 300, tags: ['shirt', 'bird'], pictures: 2, category: 'Men' },
      { name: 'Cushion', status: 'OFF_SALE', stock: 0, tags: [], pictures: null, category: 'Home' },
    ]);
  });

  test('Wix: true and false, words for the stock, semicolons', async () => {
    const csv = `handleId,fieldType,name,productImageUrl,collection,price,visible,inventory
tee,Product,Blue Tee,https://static.example/a~mv2.jpg;https://static.example/b~mv2.jpg,Tees;Summer,20,true,InStock
mug,Product,Mug,a1b2.jpg;d.jpg,Mugs,9.5,FALSE,OutOfStock
lamp,Product,Lamp,,Lamps,9.5,FALSE,12
`;
    const map = parseMapping(['imageUrls=productImageUrl,category=collection,status=visible,stock=inventory']);
    const { created, faults } = await importText(csv, { map, listSeparator: ';' });
    expect(created).toBe(2);
    expect(faults.map(({ line, column: name }) => `${line} ${name}`)).toEqual(['3 productImageUrl']);
    expect(await sql('select name, status, stock from product order by id')).toEqual([
      { name: 'Blue Tee', status: 'ON_SALE', stock: 1 },
      { name: 'Lamp', status: 'OFF_SALE', stock: 12 },
    ]);
  });

  test('eBay, whose first lines are notes: the operator says which line names the columns', async () => {
    const csv = `#INFO,Version=0.0.2,Template= eBay-draft-listings-template_US,,,,
"#INFO Action and Category ID are required fields. 1) Set Action; 2) ID",,,,,,
Action(SiteID=US|Country=US|Currency=USD),Category,Title,Price,Quantity,Item photo URL,Description
Draft,175676,Old Lamp,12.50,3,https://i.example/1.jpg|https://i.example/2.jpg,<b>Nice</b>
`;
    const map = parseMapping(['name=Title,category=,stock=Quantity,imageUrls=Item photo URL,description=']);
    const options = { map, category: 'Home > Lamps', headerLine: 3 };
    await expect(importText(csv, { map })).rejects.toThrow(
      'has no column Title. If a later line of a CSV names its columns, say which: --header-line 2. Its columns: #INFO, ',
    );
    await expect(importText(csv)).rejects.toThrow('--header-line 2');
    const { created, faults } = await importText(csv, options);
    expect({ created, faults }).toEqual({ created: 1, faults: [] });
    expect(
      await sql(
        'select description, c.slug as category, image_urls from product join category c on c.id = category_id',
      ),
    ).toEqual([
      { description: '', category: 'home-lamps', image_urls: ['https://i.example/1.jpg', 'https://i.example/2.jpg'] },
    ]);
    const broken = await importText(`${csv}Draft,1,,x,1,,\n`, options);
    expect(broken.faults.map(({ line }) => line)).toContain(5);
  });

  test('BigCommerce: Y and N for the status, and four decimals', async () => {
    const csv = `Item Type,Product ID,Product Name,Product Code/SKU,Brand Name,Product Description,Price,Product Visible?,Current Stock Level,Category,Product Image File - 1
Product,10,Blue Mug,MUG-1,Acme,<p>A mug</p>,5.0000,Y,10,Shop/Cups;Shop/New,https://x.example/mug.jpg
Product,12,Red Pan,PAN-1,Acme,,20.0000,N,0,Shop/Pans,
`;
    const map = parseMapping([
      'name=Product Name,sku=Product Code/SKU,brand=Brand Name,description=Product Description,status=Product Visible?',
      'stock=Current Stock Level,imageUrls=Product Image File - 1',
    ]);
    expect(await importText(csv, { map, listSeparator: ';', pathSeparator: '/' })).toMatchObject({
      created: 2,
      faults: [],
    });
    expect(await sql('select sku, price, status, stock from product order by id')).toEqual([
      { sku: 'MUG-1', price: '5.00', status: 'ON_SALE', stock: 10 },
      { sku: 'PAN-1', price: '20.00', status: 'OFF_SALE', stock: 0 },
    ]);
  });

  test('Squarespace: an unlimited stock, and categories that begin with their separator', async () => {
    const csv = `Product URL,Title,SKU,Price,Stock,Categories,Tags,Visible,Hosted Image URLs
blue-mug,Blue Mug,MUG-S,5.00,10,"/cups, /new","red, big",Yes,https://x.example/1.jpg https://x.example/2.jpg
red-pan,Red Pan,PAN-1,20.00,Unlimited,/pans,,No,https://x.example/3.jpg
`;
    const map = parseMapping([
      'name=Title,slug=Product URL,category=Categories,status=Visible,imageUrls=Hosted Image URLs',
    ]);
    expect(await importText(csv, { map, listSeparator: ',', pathSeparator: '/' })).toMatchObject({
      created: 2,
      faults: [],
    });
    expect(
      await sql(`select p.slug, stock, status, tags, cardinality(image_urls) as pictures, c.slug as category
        from product p join category c on c.id = category_id order by p.id`),
    ).toEqual([
      { slug: 'blue-mug', stock: 10, status: 'ON_SALE', tags: ['red', 'big'], pictures: 2, category: 'cups' },
      { slug: 'red-pan', stock: 1, status: 'OFF_SALE', tags: [], pictures: 1, category: 'pans' },
    ]);
  });

  test('Meta: its template has a line of notes, its words for the stock, and its quantity', async () => {
    const csv = `# Required | A unique content ID, # Required | The title,# Required | Words,# Required,# Required,# Required,# Optional
id,title,description,availability,price,image_link,quantity_to_sell_on_facebook
1,Mug,A mug,in stock,9.00 EUR,https://x.example/1.jpg,75
2,Jug,A jug,discontinued,9.00 EUR,https://x.example/1.jpg,75
3,Cup,A cup,available for order,9.00 EUR,https://x.example/1.jpg,
4,Pot,A pot,pending,9.00 EUR,https://x.example/1.jpg,
`;
    expect(await importText(csv, { headerLine: 2 })).toMatchObject({
      created: 4,
      faults: [],
      unusedColumns: [],
      format: { name: 'google' },
    });
    expect(await column('select stock from product order by id')).toEqual([75, 0, 1, 0]);
  });
});

describe('a separator that the operator says', () => {
  const row = { name: 'A', category: 'Pans', price: 1 };

  test('splits tags and pictures there alone, and lists in JSON as ever', async () => {
    const imageUrls = 'https://x.example/1,2.jpg#/2.jpg';
    const rows = [
      { ...row, tags: 'red, matt#new', imageUrls },
      { ...row, name: 'B', tags: '["a#b"]', imageUrls: '["/1.jpg"]' },
    ];
    expect(await importText(jsonLines(rows), { listSeparator: '#' })).toMatchObject({ created: 2, faults: [] });
    expect(await sql('select tags, image_urls from product order by id')).toEqual([
      { tags: ['red, matt', 'new'], image_urls: ['https://x.example/1,2.jpg', '/2.jpg'] },
      { tags: ['a#b'], image_urls: ['/1.jpg'] },
    ]);
  });

  test('leaves pictures to their own separators where it is one of them', async () => {
    await importText(jsonLines([{ ...row, imageUrls: 'https://x.example/w_9,h_9/1.jpg,/2.jpg|/3.jpg' }]), {
      listSeparator: ',',
    });
    expect(await column('select image_urls from product')).toEqual([
      ['https://x.example/w_9,h_9/1.jpg', '/2.jpg', '/3.jpg'],
    ]);
  });

  test('of several categories takes the deepest, and of equal ones the first', async () => {
    const categories = ['A > B; C > D > E ;;F > G > H', '; Pans ;', 'Tea > Green; Tea > Black'];
    const rows = categories.map((category, index) => ({ ...row, name: `N${index}`, category }));
    expect(await importText(jsonLines(rows), { listSeparator: ';' })).toMatchObject({ created: 3, faults: [] });
    expect(await column('select c.slug from product p join category c on c.id = category_id order by p.id')).toEqual([
      'c-d-e',
      'pans',
      'tea-green',
    ]);
  });

  test('of a path reads files of categories, too', async () => {
    await importText('path\nKitchen/Pans > Pots\n', { pathSeparator: '/' });
    expect(await column('select name from category order by id')).toEqual(['Kitchen', 'Pans > Pots']);
  });
});

test.each([
  ['true', 'ON_SALE'],
  ['1', 'ON_SALE'],
  ['Enabled', 'ON_SALE'],
  ['false', 'OFF_SALE'],
  ['0', 'OFF_SALE'],
  ['2', 'OFF_SALE'],
  ['Hidden', 'OFF_SALE'],
  ['Y', 'ON_SALE'],
  ['n', 'OFF_SALE'],
  ['draft', 'DRAFT'],
])('the status %s is %s', async (status, stored) => {
  await importText(`name,category,price,status\nA,Pans,1,${status}\n`);
  expect(await column('select status from product')).toEqual([stored]);
});

test('a status of JSON may be true or false, and no other word', async () => {
  const row = { category: 'Pans', price: 1 };
  const rows = [true, false, 'sold'].map((status) => ({ ...row, name: String(status), status }));
  const { created, faults } = await importText(jsonLines(rows));
  expect(await column('select status from product order by id')).toEqual(['ON_SALE', 'OFF_SALE']);
  expect({ created, faults }).toMatchObject({ created: 2, faults: [{ line: 3, column: 'status', value: 'sold' }] });
});

test('a column that is mapped to nothing is not read', async () => {
  const { unusedColumns, faults } = await importText('name,category,price,brand\nA,Pans,1,"[""x""]"\n', {
    map: parseMapping(['brand=']),
  });
  expect({ unusedColumns, faults }).toEqual({ unusedColumns: [], faults: [] });
  expect(await column('select brand from product')).toEqual([null]);
});

test.each(['sep=;\n', '"sep=;"\n', '"sep=;";;;\r\n'])(
  'a line %j above the columns needs --header-line 2',
  async (line) => {
    const csv = `\uFEFF${line}slug;name;category;price\na;A;Pans;1\n`;
    await expect(importText(csv)).rejects.toThrow('say which: --header-line 2');
    expect(await importText(csv, { headerLine: 2 })).toMatchObject({ created: 1, faults: [] });
  },
);

describe('a default category', () => {
  const categories = () => column('select c.slug from product p join category c on c.id = category_id order by p.id');

  test('is that of new products whose file names none, and is created if one of them needs it', async () => {
    const csv = 'name,price,category\nA,1,Pans\nB,2,\n';
    expect(await importText(csv, { category: 'Kitchen > More' })).toMatchObject({
      created: 2,
      createdCategories: 3,
      faults: [],
    });
    expect(await categories()).toEqual(['pans', 'kitchen-more']);
    await sql(`delete from category where slug not in (select c.slug from category c join product on category_id = c.id)
      and id not in (select parent_id from category where parent_id is not null)`);
    // Those that exist keep theirs, whatever the file has.
    expect(await importText('name,price\nA,1\nB,3\n', { category: 'Others' })).toMatchObject({
      changed: 1,
      createdCategories: 0,
      faults: [],
    });
    expect(await importText('name,price\nA,1\nC,3\n', { category: 'Others' })).toMatchObject({
      created: 1,
      createdCategories: 1,
    });
    expect(await categories()).toEqual(['pans', 'kitchen-more', 'others']);
  });

  test.each([
    ['Shopify', 'Handle,Title,Type,Product Category,Variant Price\na,A,,,1\nb,B,Pans,,1\n'],
    ['WooCommerce', 'Type,SKU,Name,Published,Regular price,Categories\nsimple,1,A,1,1,\nsimple,2,B,1,1,Pans\n'],
    [
      'Google',
      'id,title,price,image_link,availability,product_type\n1,A,1 EUR,/1.jpg,in stock,\n2,B,1 EUR,/1.jpg,in stock,Pans\n',
    ],
  ])('stands for Uncategorized in the format of %s', async (_, csv) => {
    expect(await importText(csv, { category: 'Others' })).toMatchObject({ created: 2, faults: [] });
    expect(await categories()).toEqual(['others', 'pans']);
  });

  test('is found by one of its names, and is of no file of categories or notices', async () => {
    await importText('path\nOthers\n');
    expect(await importText('name,price\nA,1\n', { category: 'others' })).toMatchObject({
      created: 1,
      createdCategories: 0,
    });
    expect(await importText('title,content\nSale,Half price\n', { category: 'X' })).toMatchObject({ created: 1 });
    expect(await importText('path\nPans\n', { category: 'X' })).toMatchObject({ created: 1, createdCategories: 0 });
    expect(await column('select name from category order by id')).toEqual(['Others', 'Pans']);
  });
});

test.each([
  ['Unlimited', 1],
  ['https://schema.org/InStock', 1],
  ['http://schema.org/PreOrder', 1],
  ['https://schema.org/OutOfStock', 0],
  ['https://schema.org/SoldOut', 0],
  ['-3', 0],
  ['-3.0', 0],
] as const)('the stock %s is %i in every format', async (stock, pieces) => {
  const image = 'https://x.example/1.jpg';
  for (const csv of [
    `name,category,price,stock\nA,C,1,${stock}\n`,
    `Handle,Title,Variant Price,Variant Inventory Qty,Variant Inventory Tracker\nb,B,1,${stock},shopify\n`,
    `Type,SKU,Name,Published,Regular price,Stock,In stock?\nsimple,1,C,1,1,${stock},${pieces > 0 ? 1 : 0}\n`,
    /^-/.test(stock)
      ? `id,title,price,image_link,availability,quantity\n2,D,1 EUR,${image},in stock,${stock}\n`
      : `id,title,price,image_link,availability\n2,D,1 EUR,${image},${stock}\n`,
    `product,options,price,stock\na,Size=S,1,${stock}\n`,
  ])
    expect((await importText(csv)).faults).toEqual([]);
  expect(await column('select stock from product order by slug')).toEqual([pieces, pieces, pieces, pieces]);
});

test('an empty cell too many costs no row, another one does', async () => {
  const { created, faults } = await importText('name,price,category\nMug,5,Cups,\nPan,6,Pans, , \nPot,7,Pans,x\n');
  expect({ created, faults }).toEqual({
    created: 2,
    faults: [{ line: 4, reason: 'has 4 columns, but the first row names 3' }],
  });
});

test("the name of a group of a feed does not end in an option's word", async () => {
  const rows = (name: string, word: string) =>
    ['Blue', 'Red']
      .map((color) => `${name}${color},${name}${word}${color},1 EUR,/1.jpg,in stock,${color},${name}\n`)
      .join('');
  const csv = `id,title,price,image_link,availability,color,item_group_id\n${rows('Tee', ' - Color: ')}${rows('Cap', ' Colour ')}${rows('Mug', ' ')}`;
  expect(await importText(csv)).toMatchObject({ created: 3, faults: [] });
  expect(await column('select name from product order by id')).toEqual(['Tee', 'Cap', 'Mug']);
});
