import { givenIn } from './environment.js';
import { namesakes, readEach, type SettingProblem, throwProblems } from './read-settings.js';
import { type Environment, locationLiteral } from './rules.js';
import { type SettingValues, variableOf } from './settings.js';

/** The two locations that a meeting can have: the service itself and the other platform. */
export function locationLiterals({
  serviceName,
  thirdPartyLocation,
}: Pick<SettingValues, 'serviceName' | 'thirdPartyLocation'>): readonly [own: string, thirdParty: string] {
  return [locationLiteral(serviceName), thirdPartyLocation];
}

/** Reads only the locations, for commands without a database. Throws a `ConfigurationError`. */
export function readLocations(environment: Environment): readonly [own: string, thirdParty: string] {
  const problems: SettingProblem[] = [];
  const names = ['serviceName', 'thirdPartyLocation'] as const;
  const given = givenIn(environment, names, { problems, notice() {} });
  const values = readEach({ given, nameOf: variableOf, environment, problems }, names);
  throwProblems([...problems, ...namesakes(values, variableOf)]);
  return locationLiterals(values as SettingValues);
}
