import { randomIds } from '@rollcall/node';
import { type Bindings, provideValue } from './bindings.js';

export const idsModule = { ids: provideValue(randomIds) } satisfies Bindings;
