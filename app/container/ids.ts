import { randomIds } from '@rollcall/node';
import { type Bindings, provide, provideValue } from './bindings.js';

export const idsModule = {
  ids: provideValue(randomIds),
  instanceId: provide(['ids'], ({ ids }) => ids.uuid()),
} satisfies Bindings;
