import {
  attributeName,
  attributeNamed,
  invalidSyntax,
  invalidValue,
  isObject,
  memberOf,
  readAttribute,
  readAttributes,
  type Said,
} from './attributes.js';
import { DirectoryError } from './directory-error.js';

const MAX_OPERATIONS = 200;
const MAX_PATH_CHARACTERS = 500;

/** Reads all operations of a PATCH, in their order. Those about other attributes change nothing. */
export function readOperations(body: unknown): Said {
  if (!isObject(body)) throw invalidSyntax('The body must be a JSON object');
  const operations = memberOf(body, 'operations');
  if (!Array.isArray(operations)) throw invalidSyntax('Operations must be a list');
  if (operations.length > MAX_OPERATIONS)
    throw invalidValue(`Operations must have at most ${MAX_OPERATIONS} items`);
  const said: Said = {};
  for (const operation of operations) readOperation(operation, said);
  return said;
}

function readOperation(operation: unknown, said: Said): void {
  if (!isObject(operation)) throw invalidSyntax('Each of Operations must be an object');
  const op = memberOf(operation, 'op');
  const kind = typeof op === 'string' ? op.toLowerCase() : '';
  if (!['add', 'replace', 'remove'].includes(kind)) throw invalidSyntax('op must be add, replace or remove');
  const path = memberOf(operation, 'path') ?? '';
  if (typeof path !== 'string') throw invalidSyntax('path must be a string');
  if (path.length > MAX_PATH_CHARACTERS)
    throw invalidValue(`path must have at most ${MAX_PATH_CHARACTERS} characters`);
  const value = memberOf(operation, 'value');
  if (kind === 'remove') remove(attributePath(path), said);
  else if (path.trim() === '') readAll(value, said);
  else readAt(attributePath(path), value, said);
}

function readAll(value: unknown, said: Said): void {
  if (!isObject(value)) throw invalidValue('value must be an object where there is no path');
  for (const [key, one] of Object.entries(value)) readAt(attributePath(key), one, said);
}

function readAt(path: string | null, value: unknown, said: Said): void {
  if (path === null) return;
  if (path === 'name') {
    if (isObject(value)) readAttributes(value, said, 'name.');
    return;
  }
  const attribute = attributeNamed(path);
  if (attribute !== null) readAttribute(attribute, value, said);
  else if (isObject(value)) readAttributes({ [path]: value }, said);
}

function remove(path: string | null, said: Said): void {
  if (path === null) return;
  if (path === '') throw new DirectoryError(400, 'noTarget', 'remove needs a path');
  if (path === 'name') {
    said.givenName = null;
    said.familyName = null;
    return;
  }
  const attribute = attributeNamed(path);
  if (attribute === 'userName' || attribute === 'active')
    throw new DirectoryError(400, 'mutability', `${attribute} cannot be removed`);
  if (attribute !== null) readAttribute(attribute, null, said);
}

/**
 * The attribute that a path names. One address is kept, whichever of them a filter in brackets means. Null: another part of
 * an address.
 */
function attributePath(path: string): string | null {
  const name = attributeName(path);
  if (!name.startsWith('emails')) return name;
  const end = name.lastIndexOf(']');
  const rest = end < 0 ? name.slice('emails'.length) : name.slice(end + 1);
  return rest === '' || rest === '.value' ? 'emails' : null;
}
