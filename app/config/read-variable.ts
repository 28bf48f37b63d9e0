import { type EnvSchemaOpt, envSchema } from 'env-schema';
import type { ConfigurationProblem } from './configuration-error.js';
import { InvalidValue } from './invalid-value.js';
import { fileVariableOf, secretValue } from './secret-files.js';
import { isServiceLink, serviceLinkNotice } from './service-links.js';
import { isSecret, type Variable, type VariableName, variableNames, variables } from './variables.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export type RawValues = { readonly [Name in VariableName]?: unknown };

/** Leaves out empty values. They count as not set, because compose files write `NAME=`. Reads no files. */
export function nonEmptyValues(environment: Environment): Readonly<Record<string, string>> {
  const given = variableNames.map((name) => [name, environment[name]?.trim() ?? ''] as const);
  return Object.fromEntries(given.filter(([, text]) => text !== ''));
}

/** All values that are set, those of secrets also from files. Calls `notice` for each that a platform has set by itself. */
export function readValues(
  environment: Environment,
  problems: ConfigurationProblem[],
  notice: (line: string) => void,
): Readonly<Record<string, string>> {
  const values: Record<string, string> = { ...nonEmptyValues(environment) };
  for (const name of variableNames) {
    if (isSecret(name)) {
      delete values[name];
      const text = readSecretText(environment, name, problems);
      if (text !== null) values[name] = text;
    } else if (isServiceLink(name, values[name])) {
      notice(serviceLinkNotice(name, values[name]));
      delete values[name];
    }
  }
  return values;
}

/** The value of a secret, also from a file. Null if it is not set, or cannot be read, which is a problem. */
export function readSecretText(
  environment: Environment,
  name: VariableName,
  problems: ConfigurationProblem[],
): string | null {
  try {
    return secretValue(environment, name);
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    const message = `${error.message}; it must be the path of a readable file with one line, for example ${fileExampleOf(name)}`;
    problems.push({ name: fileVariableOf(name), message });
    return null;
  }
}

function fileExampleOf(name: VariableName): string {
  return `/run/secrets/${name.toLowerCase()}`;
}

/** Whether the variable, or that of its file, is set. */
export function hasValue(environment: Environment, name: VariableName): boolean {
  const isGiven = (one: string): boolean => (environment[one]?.trim() ?? '') !== '';
  return isGiven(name) || (isSecret(name) && isGiven(fileVariableOf(name)));
}

/** A problem with the content of a file is named after the variable of the file. */
export function namedAsSet(
  problems: readonly ConfigurationProblem[],
  environment: Environment,
): readonly ConfigurationProblem[] {
  return problems.map((one) => {
    const name = one.name as VariableName;
    const isFromFile =
      name in variables && (environment[name]?.trim() ?? '') === '' && hasValue(environment, name);
    return isFromFile ? { ...one, name: fileVariableOf(name) } : one;
  });
}

export function parseVariables(
  given: Readonly<Record<string, string>>,
  problems: ConfigurationProblem[],
): RawValues {
  const properties = Object.fromEntries(variableNames.map((name) => [name, variables[name].schema]));
  const schema = structuredClone({ type: 'object', properties }) as NonNullable<EnvSchemaOpt['schema']>;
  try {
    return envSchema({ schema, data: { ...given }, env: false });
  } catch (error) {
    const wrong = new Set(wrongProperties(error));
    for (const name of variableNames) if (wrong.has(name)) problems.push(problem(name, given[name]));
    const others = Object.fromEntries(Object.entries(given).filter(([name]) => !wrong.has(name)));
    return envSchema({ schema: structuredClone(schema), data: others, env: false });
  }
}

function wrongProperties(error: unknown): readonly string[] {
  const { errors } = error as { readonly errors?: readonly { readonly instancePath: string }[] };
  if (errors === undefined) throw error;
  return errors.map(({ instancePath }) => instancePath.slice(1));
}

/** Describes a wrong variable: its name, what is wrong, and what is allowed. */
export function problem(name: VariableName, value: unknown, reason?: string): ConfigurationProblem {
  const { allowed, example, isSecret }: Variable = variables[name];
  const wrong =
    reason ?? `${isSecret === true ? 'the value' : JSON.stringify(shown(String(value)))} is not valid`;
  return { name, message: `${wrong}; it must be ${allowed}, for example ${example}` };
}

/** The beginning of a value, without the password that a URL may contain. */
function shown(value: string): string {
  return value.replace(/(?<=\/\/[^\s/:@]*:)[^\s/@]+(?=@)/, '***').slice(0, 100);
}

/** Sorts problems in the order of the documentation. */
export function sortProblems(problems: readonly ConfigurationProblem[]): readonly ConfigurationProblem[] {
  const rank = (of: ConfigurationProblem): number =>
    variableNames.findIndex((name) => of.name === name || of.name === fileVariableOf(name));
  return [...problems].sort((a, b) => rank(a) - rank(b));
}

export function readVariable<Value>({
  name,
  raw,
  problems,
  from,
}: {
  readonly name: VariableName;
  readonly raw: RawValues;
  readonly problems: ConfigurationProblem[];
  readonly from: (text: string) => Value;
}): Value | null {
  const text = raw[name];
  if (typeof text !== 'string') return null;
  try {
    return from(text);
  } catch (error) {
    problems.push(problem(name, text, error instanceof InvalidValue ? error.message : undefined));
    return null;
  }
}
