import { type EnvSchemaOpt, envSchema } from 'env-schema';
import type { ConfigurationProblem } from './configuration-error.js';
import { type Variable, type VariableName, variableNames, variables } from './variables.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export type RawValues = { readonly [Name in VariableName]?: unknown };

/** Leaves out empty values. They count as not set, because compose files write `NAME=`. */
export function nonEmptyValues(environment: Environment): Readonly<Record<string, string>> {
  const given = variableNames.map((name) => [name, environment[name]?.trim() ?? ''] as const);
  return Object.fromEntries(given.filter(([, text]) => text !== ''));
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
  const rank = (of: ConfigurationProblem): number => variableNames.indexOf(of.name as VariableName);
  return [...problems].sort((a, b) => rank(a) - rank(b));
}

/** A reason with more detail than the allowed values. */
export class InvalidValue extends Error {}

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

export function refuse(reason?: string): never {
  throw reason === undefined ? new Error('not allowed') : new InvalidValue(reason);
}
