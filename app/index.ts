export { createRollcall, type Rollcall, type RollcallOptions } from './create-rollcall.js';
export type { RollcallSettings } from './embedding-options.js';
