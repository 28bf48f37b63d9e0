import type { Need, PortsOf, Uses } from './deps.js';
import { defaultSettings, isSettingNeed, settingMistake } from './settings.js';

/** Any object: what a caller without types may have given. */
type Given = Readonly<Record<string, unknown>> | null | undefined;

/**
 * What the use-cases of a factory get: the caller's ports, and the settings with their defaults. Checks all of it, so
 * that a mistake shows at the start and not in a request. Throws a `TypeError` that names every mistake.
 */
export function readDeps<Needed extends Need>(
  factory: string,
  needs: readonly Needed[],
  { ports, options }: { readonly ports: PortsOf<Needed>; readonly options: unknown },
): Uses<Needed> {
  const given = options as Given;
  const settings: Record<string, unknown> = { ...defaultSettings };
  for (const [name, value] of Object.entries(given ?? {}))
    if (value !== undefined && value !== null && name in defaultSettings) settings[name] = value;
  const deps = { ...ports, settings, links: given?.links };
  const mistakes = needs.flatMap((need) => mistakeIn(deps, need) ?? []);
  if (mistakes.length > 0) throw new TypeError(`${factory} cannot start. ${mistakes.join('; ')}.`);
  return deps as unknown as Uses<Needed>;
}

/** Ports that may be left out. */
const optionalPorts: readonly string[] = ['securityLog'];

function mistakeIn(deps: Given, need: string): string | null {
  const [port = '', member = ''] = need.split('.');
  const owner = deps?.[port] as Given;
  const value = owner?.[member];
  if (isSettingNeed(need)) return settingMistake(need, value);
  if (owner === undefined && optionalPorts.includes(port)) return null;
  return value === undefined ? `The port ${need} is missing` : null;
}
