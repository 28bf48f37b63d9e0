import { configurationData, configurationText } from '../config/documentation.js';
import { print, printJson } from '../terminal.js';
import type { JsonOptions } from './with-core.js';

/** Lists the environment variables. Reads none of them. */
export function configurationCommand({ json = false }: JsonOptions): void {
  if (json) printJson({ variables: configurationData() });
  else print(configurationText());
}
