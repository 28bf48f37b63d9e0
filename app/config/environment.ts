import { InvalidValue } from './invalid-value.js';
import type { SettingProblem, Source } from './read-settings.js';
import type { Environment } from './rules.js';
import { fileVariableOf, secretValue } from './secret-files.js';
import { isServiceLink, serviceLinkNotice } from './service-links.js';
import { type GivenSettings, type SettingName, settingOf, variableOf } from './settings.js';

/** These settings as the variables give them. */
export function sourceIn(
  environment: Environment,
  names: readonly SettingName[],
  notice: (line: string) => void = () => undefined,
): Source {
  const problems: SettingProblem[] = [];
  const given = givenIn(environment, names, { problems, notice });
  return { given, environment, nameOf: (name) => variableIn(environment, name), problems };
}

/**
 * The texts of these settings, those of secrets also from files. Empty variables count as not set, because compose files
 * write `NAME=`. Calls `notice` for each that a platform has set by itself.
 */
function givenIn(
  environment: Environment,
  names: readonly SettingName[],
  { problems, notice }: { readonly problems: SettingProblem[]; readonly notice: (line: string) => void },
): GivenSettings {
  const given: Partial<Record<SettingName, string>> = {};
  for (const name of names) {
    const variable = variableOf(name);
    const text = settingOf(name).isSecret
      ? secretText(environment, name, problems)
      : (environment[variable]?.trim() ?? '');
    if (isServiceLink(variable, text)) notice(serviceLinkNotice(variable, text));
    else if (text !== '') given[name] = text;
  }
  return given;
}

/** Empty if the secret is not set, or its file cannot be read, which is a problem. */
function secretText(environment: Environment, setting: SettingName, problems: SettingProblem[]): string {
  const variable = variableOf(setting);
  try {
    return secretValue(environment, variable) ?? '';
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    const example = `/run/secrets/${variable.toLowerCase()}`;
    const message = `${error.message}; it must be the path of a readable file with one line, for example ${example}`;
    problems.push({ setting, name: fileVariableOf(variable), message });
    return '';
  }
}

/** The variable that is set: that of the file, if the value is in one. */
function variableIn(environment: Environment, name: SettingName): string {
  const variable = variableOf(name);
  const file = fileVariableOf(variable);
  const isInFile = settingOf(name).isSecret && !isGiven(environment, variable) && isGiven(environment, file);
  return isInFile ? file : variable;
}

/** Not for secrets, which may be in files. */
export function isSetIn(environment: Environment, name: SettingName): boolean {
  return isGiven(environment, variableOf(name));
}

function isGiven(environment: Environment, variable: string): boolean {
  return (environment[variable]?.trim() ?? '') !== '';
}
