import type { HttpWorld } from '../support/http-world.js';

/** Tests over a world that whoever runs them has started, and whose clock stands at `testNow` before each. */
export type Suite = (world: () => HttpWorld) => void;
