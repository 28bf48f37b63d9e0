import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Fields with their types, by the name of the type. A question mark ends the names of optional fields. */
type Types = Readonly<Record<string, Readonly<Record<string, string>>>>;

const file = fileURLToPath(new URL('../../../test/support/kubernetes-1.30.json', import.meta.url));
const { types } = JSON.parse(readFileSync(file, 'utf8')) as { readonly types: Types };

/** What is wrong with a value of a type of Kubernetes: fields that it does not have, or of another type, or missing. */
export function problemsIn(value: unknown, type: string, path = type): readonly string[] {
  if (type.endsWith('[]'))
    return Array.isArray(value)
      ? value.flatMap((one, index) => problemsIn(one, type.slice(0, -2), `${path}.${index}`))
      : [`${path} must be a list`];
  if (type.startsWith('{'))
    return isMap(value)
      ? Object.entries(value).flatMap(([key, one]) => problemsIn(one, type.slice(1, -1), `${path}.${key}`))
      : [`${path} must be a map`];
  if (type in types) return isMap(value) ? mistakesInFields(value, type, path) : [`${path} must be a map`];
  if (type.startsWith('=')) return value === type.slice(1) ? [] : [`${path} must be ${type.slice(1)}`];
  return type.split('|').includes(typeof value) ? [] : [`${path} must be a ${type}`];
}

function mistakesInFields(
  value: Readonly<Record<string, unknown>>,
  type: string,
  path: string,
): readonly string[] {
  const fields = types[type] ?? {};
  const missing = Object.keys(fields).filter((name) => !name.endsWith('?') && !(name in value));
  return [
    ...missing.map((name) => `${path}.${name} is missing`),
    ...Object.entries(value).flatMap(([name, one]) => {
      const known = fields[name] ?? fields[`${name}?`];
      return known === undefined
        ? [`${path}.${name} is not a field`]
        : problemsIn(one, known, `${path}.${name}`);
    }),
  ];
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
