import { configurationData, configurationText } from '../config/documentation.js';
import { print, printJson } from '../terminal.js';

/** Lists the environment variables. Reads none of them. */
export function configurationCommand({ json = false }: { readonly json?: boolean }): void {
  if (json) printJson({ variables: configurationData() });
  else print(configurationText());
}
