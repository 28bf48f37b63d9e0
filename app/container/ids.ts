import { randomIds } from '#adapters/system/ids.js';
import { type Bindings, provideValue } from './bindings.js';

export const idsModule = { ids: provideValue(randomIds) } satisfies Bindings;
