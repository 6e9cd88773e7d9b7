import { element } from '../elements.ts';
import { count, day } from '../format.ts';
import { query } from '../graphql.ts';
import { say } from '../language.ts';
import { badges, TYPE_NAMES } from '../notices.ts';
import { NoticesDocument, type NoticesQuery, type NoticeType } from '../operations.ts';
import { pagination } from '../pagination.ts';
import { plainText } from '../text.ts';
import { type MakeView, noticePath, pageNumber } from '../view.ts';

const isType = (text: string | null): text is NoticeType => text !== null && Object.hasOwn(TYPE_NAMES, text);

export const noticesView: MakeView = async ({ search }, signal) => {
  const wanted = search.get('type');
  const type = isType(wanted) ? wanted : null;
  const keyword = search.get('keyword')?.trim() ?? '';
  const page = pageNumber(search);
  const { noticePage } = await query(NoticesDocument, { page, type, keyword }, signal);
  const { total, pageCount, items } = noticePage;

  return {
    title: page > 1 ? `${say('Notices')}, ${say('Page {n}', { n: page })}` : say('Notices'),
    content: element(
      'div',
      {},
      element('h1', {}, say('Notices')),
      filter(type, keyword),
      element(
        'p',
        { class: 'soft', role: 'status' },
        total === 1 ? say('1 notice') : say('{n} notices', { n: count(total) }),
      ),
      items.length > 0
        ? element('ul', { class: 'notices' }, ...items.map(line))
        : element(
            'p',
            { class: 'empty' },
            say(total === 0 ? 'No notice is like that.' : 'There are not so many pages.'),
          ),
      pagination(page, pageCount, search),
    ),
  };
};

const line = (notice: NoticesQuery['noticePage']['items'][number]): HTMLElement =>
  element(
    'li',
    {},
    badges(notice),
    element('h2', {}, element('a', { href: noticePath(notice.id) }, notice.title)),
    notice.summary !== null && element('p', {}, plainText(notice.summary)),
    element('p', { class: 'soft' }, day(notice.startsAt), notice.pinned && ` · ${say('pinned')}`),
  );

const filter = (type: NoticeType | null, keyword: string): HTMLElement => {
  const types = Object.entries(TYPE_NAMES).map(([value, label]) =>
    element('option', { value, selected: value === type }, say(label)),
  );
  const select = element('select', { name: 'type' }, element('option', { value: '' }, say('All')), ...types);
  const input = element('input', {
    type: 'search',
    name: 'keyword',
    value: keyword,
    placeholder: say('Part of a notice'),
  });
  const form = element(
    'form',
    { role: 'search', 'aria-label': say('Notices'), class: 'filter' },
    element('label', {}, `${say('Kind')} `, select),
    element('label', {}, `${say('Search')} `, input),
    element('button', {}, say('Find')),
  );
  select.addEventListener('change', () => form.requestSubmit());
  return form;
};
