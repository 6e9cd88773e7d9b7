import { element } from '../elements.ts';
import { count, day } from '../format.ts';
import { query } from '../graphql.ts';
import { badges, TYPE_NAMES } from '../notices.ts';
import { NoticesDocument, type NoticesQuery, type NoticeType } from '../operations.ts';
import { type MakeView, NOTICES_PATH, noticePath } from '../view.ts';

const isType = (text: string | null): text is NoticeType => text !== null && Object.hasOwn(TYPE_NAMES, text);

export const noticesView: MakeView = async ({ search }, signal) => {
  const wanted = search.get('type');
  const type = isType(wanted) ? wanted : null;
  const keyword = search.get('keyword')?.trim() ?? '';
  const page = /^[1-9]\d{0,8}$/.test(search.get('page') ?? '') ? Number(search.get('page')) : 1;
  const { noticePage } = await query(NoticesDocument, { page, type, keyword }, signal);
  const { total, pageCount, items } = noticePage;

  return {
    title: page > 1 ? `Notices, page ${page}` : 'Notices',
    content: element(
      'div',
      {},
      element('h1', {}, 'Notices'),
      filter(type, keyword),
      element('p', { class: 'soft', role: 'status' }, total === 1 ? '1 notice' : `${count(total)} notices`),
      items.length > 0
        ? element('ul', { class: 'notices' }, ...items.map(line))
        : element('p', { class: 'empty' }, total === 0 ? 'No notice is like that.' : 'There are not so many pages.'),
      pageCount > 1 && pages(page, pageCount, search),
    ),
  };
};

const line = (notice: NoticesQuery['noticePage']['items'][number]): HTMLElement =>
  element(
    'li',
    {},
    badges(notice),
    element('h2', {}, element('a', { href: noticePath(notice.id) }, notice.title)),
    notice.summary !== null && element('p', {}, notice.summary),
    element('p', { class: 'soft' }, day(notice.startsAt), notice.pinned && ' · pinned'),
  );

const filter = (type: NoticeType | null, keyword: string): HTMLElement => {
  const types = Object.entries(TYPE_NAMES).map(([value, label]) =>
    element('option', { value, selected: value === type }, label),
  );
  const select = element('select', { name: 'type' }, element('option', { value: '' }, 'All'), ...types);
  const input = element('input', { type: 'search', name: 'keyword', value: keyword, placeholder: 'Part of a notice' });
  const form = element(
    'form',
    { role: 'search', class: 'filter' },
    element('label', {}, 'Kind ', select),
    element('label', {}, 'Search ', input),
    element('button', {}, 'Find'),
  );
  select.addEventListener('change', () => form.requestSubmit());
  return form;
};

const pages = (page: number, pageCount: number, search: URLSearchParams): HTMLElement => {
  const link = (number: number, label: string, relation: string) => {
    if (number < 1 || number > pageCount) return element('span', { class: 'soft' }, label);
    const target = new URLSearchParams([...search].filter(([name]) => name !== 'page'));
    target.set('page', String(number));
    return element('a', { href: `${NOTICES_PATH}?${target}`, rel: relation }, label);
  };
  return element(
    'nav',
    { class: 'pages', 'aria-label': 'Pages' },
    link(Math.min(page - 1, pageCount), '← Previous', 'prev'),
    element('span', {}, `Page ${count(page)} of ${count(pageCount)}`),
    link(page + 1, 'Next →', 'next'),
  );
};
