import { sourceIn } from './environment.js';
import { namesakes, readEach, throwProblems } from './read-settings.js';
import { type Environment, locationLiteral } from './rules.js';
import type { SettingValues } from './settings.js';

/** The two locations that a meeting can have: the service itself and the other platform. */
export function locationLiterals({
  serviceName,
  thirdPartyLocation,
}: Pick<SettingValues, 'serviceName' | 'thirdPartyLocation'>): readonly [own: string, thirdParty: string] {
  return [locationLiteral(serviceName), thirdPartyLocation];
}

/** Reads only the locations, for commands without a database. Throws a `ConfigurationError`. */
export function readLocations(environment: Environment): readonly [own: string, thirdParty: string] {
  const names = ['serviceName', 'thirdPartyLocation'] as const;
  const source = sourceIn(environment, names);
  const values = readEach(source, names);
  throwProblems([...source.problems, ...namesakes(values, source.nameOf)]);
  return locationLiterals(values as SettingValues);
}
