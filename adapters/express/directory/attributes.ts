import type { DirectoryEntry } from '@rollcall/core';
import { DirectoryError } from './directory-error.js';

/** What a request says about a person. Left out: nothing. */
export type Said = { -readonly [Name in keyof DirectoryEntry]?: DirectoryEntry[Name] | null };

type Attribute = 'active' | 'displayName' | 'emails' | 'externalId' | 'familyName' | 'givenName' | 'userName';

/**
 * The attributes that are read, by their names in lower case. Others are ignored: every provider sends some. A name from a
 * request is only looked up here, and is never the key of an object.
 */
const attributes: ReadonlyMap<string, Attribute> = new Map([
  ['active', 'active'],
  ['displayname', 'displayName'],
  ['emails', 'emails'],
  ['externalid', 'externalId'],
  ['name.familyname', 'familyName'],
  ['name.givenname', 'givenName'],
  ['username', 'userName'],
]);

const CORE_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:user';

/** The name in lower case and without the schema of users in front. */
export function attributeName(name: string): string {
  const lower = name.trim().toLowerCase();
  return lower.startsWith(`${CORE_SCHEMA}:`) ? lower.slice(CORE_SCHEMA.length + 1) : lower;
}

/** Which attribute a name means; null: one that is not read. */
export function attributeNamed(name: string): Attribute | null {
  return attributes.get(name) ?? null;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads the attributes of an object into `said`. */
export function readAttributes(object: Readonly<Record<string, unknown>>, said: Said, prefix = ''): void {
  for (const [key, value] of Object.entries(object)) {
    const name = prefix + attributeName(key);
    if (prefix === '' && (name === 'name' || name === CORE_SCHEMA)) {
      if (isObject(value)) readAttributes(value, said, name === 'name' ? 'name.' : '');
      continue;
    }
    const attribute = attributeNamed(name);
    if (attribute !== null) readAttribute(attribute, value, said);
  }
}

/** Reads one attribute. Null and an empty text are none. */
export function readAttribute(attribute: Attribute, value: unknown, said: Said): void {
  switch (attribute) {
    case 'active':
      said.isActive = readActive(value) ?? said.isActive ?? null;
      break;
    case 'emails':
      said.email = readText('emails', emailIn(value));
      break;
    case 'externalId':
      said.externalId = readText('externalId', value)?.trim() ?? null;
      break;
    case 'userName':
      said.userName = readText('userName', value);
      break;
    default:
      said[attribute] = readText(attribute, value);
  }
}

function readText(name: string, value: unknown): string | null {
  const one = onlyOf(value);
  if (one === undefined || one === null) return null;
  if (typeof one === 'number') return String(one);
  if (typeof one === 'string') return one.trim() === '' ? null : one;
  throw invalidValue(`${name} must be a string`);
}

/** Some providers send a text, or a list of one. Null: nothing was said. */
function readActive(value: unknown): boolean | null {
  const one = onlyOf(value);
  const text = typeof one === 'string' ? one.trim().toLowerCase() : one;
  if (text === true || text === 'true') return true;
  if (text === false || text === 'false') return false;
  if (text === null || text === undefined || text === '') return null;
  throw invalidValue('active must be true or false');
}

/** The value of a list of one. */
function onlyOf(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

/** The primary address, or else the first one. An address is a text or the `value` of an object. */
function emailIn(value: unknown): unknown {
  if (!Array.isArray(value)) return addressOf(value);
  const primary = value.find((email) => isObject(email) && isTrue(memberOf(email, 'primary')));
  return addressOf(primary ?? value[0]);
}

function addressOf(email: unknown): unknown {
  return isObject(email) ? (memberOf(email, 'value') ?? null) : email;
}

function isTrue(value: unknown): boolean {
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true');
}

/** The member with this name in any case. */
export function memberOf(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.entries(object).find(([key]) => key.toLowerCase() === name)?.[1];
}

export function invalidValue(detail: string): DirectoryError {
  return new DirectoryError(400, 'invalidValue', detail);
}

export function invalidSyntax(detail: string): DirectoryError {
  return new DirectoryError(400, 'invalidSyntax', detail);
}
