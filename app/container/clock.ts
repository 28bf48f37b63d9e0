import { correctedClock, uncorrectedClock } from '@rollcall/node';
import { type Bindings, provide } from './bindings.js';

export const clockModule = {
  clock: provide(['sharedTime'], ({ sharedTime }) =>
    sharedTime === null ? uncorrectedClock : correctedClock({ reference: sharedTime }),
  ),
} satisfies Bindings;
