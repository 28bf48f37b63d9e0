import type { Secret } from '@rollcall/core';
import { ConfigurationError } from './config/configuration-error.js';
import { mustBe } from './config/read-settings.js';
import type { Given } from './config/rules.js';
import {
  type OptionName,
  type RollcallSettings,
  settingNames,
  settingOf,
  variableOf,
} from './config/settings.js';
import { type Config, createConfig } from './config.js';

const required: readonly OptionName[] = ['databaseUrl', 'publicUrl'];

const optionNames = [
  ...new Set([...required, 'secretKey', 'previousSecretKeys', ...settingNames] as readonly OptionName[]),
].filter((name) => settingOf(name).option !== null);

/** The options that are not settings: the methods that an object must have, or a type. */
export type OtherOptions = Readonly<Record<string, readonly string[] | 'boolean' | 'text'>>;

/**
 * Checks the settings as the program checks its environment, which is not read here, and the form of the other options.
 * Throws one `TypeError` with a line for each mistake. Creates the folder of an SQLite file, and the secret key beside it
 * if none is given.
 */
export function embeddedConfig(options: RollcallSettings, others: OtherOptions): Config {
  const settings = Object(options) as RollcallSettings;
  const problems = [
    ...unknownNames(settings, [...optionNames, ...Object.keys(others)]),
    ...required.filter((name) => settings[name] === undefined).map((name) => `${name}: is missing`),
    ...optionNames.flatMap((name) => settingProblems(name, settings[name])),
    ...otherProblems(settings, others),
  ];
  if (problems.length > 0) throw new TypeError(problems.join('\n'));
  const given = Object.fromEntries(optionNames.map((name) => [name, givenValue(settings[name])]));
  try {
    return createConfig({ given, nameOf: (name) => name, environment: {}, problems: [] }, () => undefined);
  } catch (error) {
    throw error instanceof ConfigurationError ? new TypeError(error.message) : error;
  }
}

function unknownNames(options: object, known: readonly string[]): readonly string[] {
  return Object.keys(options)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = meantBy(name, known);
      const help = meant === undefined ? `the options are ${known.join(', ')}` : `did you mean ${meant}?`;
      return `${name}: is not an option; ${help}`;
    });
}

const variables = new Map<string, string>(optionNames.map((name) => [name, variableOf(name)]));

/** The option that is written differently, shortened, or named like its variable. */
function meantBy(name: string, known: readonly string[]): string | undefined {
  const folded = (text: string): string => text.toLowerCase().replaceAll('_', '');
  const written = folded(name);
  const isSame = (option: string): boolean =>
    [option, `${option}s`, variables.get(option) ?? option].map(folded).includes(written);
  const begun = known.filter((option) => folded(option).startsWith(written));
  return known.find(isSame) ?? (begun.length === 1 ? begun[0] : undefined);
}

function settingProblems(name: OptionName, value: unknown): readonly string[] {
  if (value === undefined || (name === 'trustProxy' && value === false)) return [];
  const wrong = wrongType(name, value);
  if (wrong !== null) {
    const list = listAllowed(name);
    return [`${name}: ${wrong}; ${list === undefined ? mustBe(name) : `it must be ${list}`}`];
  }
  const texts = (Array.isArray(value) ? value : [value]).map((part: Text) => String(plain(part)));
  if (texts.includes('')) return [`${name}: is empty`];
  if (name !== 'previousSecretKeys') return [];
  return texts
    .filter((key) => key.length < MIN_SECRET_KEY_CHARACTERS)
    .map((key) => `${name}: a key of ${key.length} characters is too short; ${keyLength}`);
}

/** Null if the type can be right. */
function wrongType(name: OptionName, value: unknown): string | null {
  if (name === 'trustProxy' && value === true) return 'true would trust any address that a client sends';
  if (!Array.isArray(value))
    return isText(value) && name !== 'previousSecretKeys' ? null : `${kindOf(value)} is not valid`;
  if (listAllowed(name) === undefined) return 'an array is not valid';
  const index = value.findIndex((part) => !isText(part) || typeof part === 'number');
  return index === -1 ? null : `an array with ${kindOf(value[index])} is not valid`;
}

function listAllowed(name: OptionName): string | undefined {
  return settingOf(name).option?.list;
}

function otherProblems(options: object, others: OtherOptions): readonly string[] {
  return Object.entries(others).flatMap(([name, form]) => {
    const value: unknown = (options as Readonly<Record<string, unknown>>)[name];
    if (value === undefined || hasForm(value, form)) return [];
    const allowed =
      form === 'boolean'
        ? 'true or false'
        : form === 'text'
          ? 'a text that is not empty'
          : `an object with ${form.map((method) => `${method}()`).join(', ')}`;
    return [`${name}: ${kindOf(value)} is not valid; it must be ${allowed}`];
  });
}

function hasForm(value: unknown, form: OtherOptions[string]): boolean {
  if (form === 'boolean') return typeof value === form;
  if (form === 'text') return typeof value === 'string' && /^[^\0]+$/.test(value);
  const methods = Object(value) as Readonly<Record<string, unknown>>;
  return form.every((method) => typeof methods[method] === 'function');
}

/** Not the value itself, which may be a secret. */
function kindOf(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const MIN_SECRET_KEY_CHARACTERS = 32;
const keyLength = `it must be at least ${MIN_SECRET_KEY_CHARACTERS} characters long`;

type Text = string | number | Secret;

function isText(value: unknown): value is Text {
  return (
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof (value as Secret | null)?.reveal === 'function'
  );
}

function plain(text: Text): string | number {
  if (typeof text === 'number') return text;
  return (typeof text === 'object' ? text.reveal() : text).trim();
}

/** Undefined if the setting is to have its default. */
function givenValue(setting: RollcallSettings[OptionName]): Given | undefined {
  if (setting === undefined || setting === false) return undefined;
  if (isText(setting)) return plain(setting);
  return setting.length === 0 ? undefined : setting.map((part) => String(plain(part)));
}
