import { ConfigurationError, type ConfigurationProblem } from './configuration-error.js';
import { refuse } from './invalid-value.js';
import {
  type Environment,
  nonEmptyValues,
  parseVariables,
  type RawValues,
  readVariable,
} from './read-variable.js';

/** The configured names of the service and of the other platform. */
export interface ServiceNames {
  readonly serviceName: string;
  /** The lower-case literal of the other platform that meetings run on. */
  readonly thirdPartyLocation: string;
}

export function readServiceNames(raw: RawValues, problems: ConfigurationProblem[]): ServiceNames | null {
  const serviceName = readVariable({ name: 'SERVICE_NAME', raw, problems, from: brandName });
  const thirdPartyLocation = readVariable({
    name: 'THIRD_PARTY_LOCATION',
    raw,
    problems,
    from: (text) => locationLiteral(brandName(text)),
  });
  if (serviceName === null || thirdPartyLocation === null) return null;
  if (thirdPartyLocation === locationLiteral(serviceName)) {
    problems.push({
      name: 'THIRD_PARTY_LOCATION',
      message: `"${thirdPartyLocation}" is also the location of SERVICE_NAME; it must be another name, for example zoom`,
    });
  }
  return { serviceName, thirdPartyLocation };
}

/** The two locations that a meeting can have: the service itself and the other platform. */
export function locationLiterals({
  serviceName,
  thirdPartyLocation,
}: ServiceNames): readonly [own: string, thirdParty: string] {
  return [locationLiteral(serviceName), thirdPartyLocation];
}

/** Reads only the locations, for commands without a database. Throws a `ConfigurationError`. */
export function readLocations(environment: Environment): readonly [own: string, thirdParty: string] {
  const problems: ConfigurationProblem[] = [];
  const raw = parseVariables(nonEmptyValues(environment), problems);
  const names = readServiceNames(raw, problems);
  const own = problems.filter(({ name }) => name === 'SERVICE_NAME' || name === 'THIRD_PARTY_LOCATION');
  if (names === null || own.length > 0) throw new ConfigurationError(own);
  return locationLiterals(names);
}

function brandName(text: string): string {
  const isValid = text.length <= 50 && /^[A-Za-z0-9]+(?:[ -]+[A-Za-z0-9]+)*$/.test(text);
  return isValid && !text.includes('  ') ? text : refuse();
}

function locationLiteral(name: string): string {
  return name.replaceAll(' ', '-').toLowerCase();
}
