import { Problem, type Value } from '../value.ts';
import type { Parsed } from './field.ts';

const MOMENT = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(\.\d{1,9})?)?\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** A moment in ISO 8601; without an offset it is UTC, and a date alone is its midnight. */
export const moment = (value: Value): Parsed => {
  const text = typeof value === 'string' ? value.trim() : '';
  const [match, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', offset = 'Z'] =
    MOMENT.exec(text) ?? [];
  const isClockTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
  if (!match || !isClockTime || !isDate(Number(year), Number(month), Number(day)) || !isOffset(offset)) {
    return new Problem('must be a date or a moment of ISO 8601, such as 2026-11-20T09:00:00Z');
  }
  const zone = /^(Z|UTC)$/i.test(offset) ? 'Z' : offset;
  return `${year}-${month}-${day} ${hour}:${minute}:${second}${fraction.slice(0, 7)}${zone}`;
};

const isDate = (year: number, month: number, day: number): boolean => {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31);
};

/** PostgreSQL takes offsets below 16 hours. */
const isOffset = (offset: string): boolean => {
  const [, hours = '0', minutes = '0'] = /^[+-](\d\d):?(\d\d)?$/.exec(offset) ?? [];
  return Number(hours) < 16 && Number(minutes) < 60;
};
