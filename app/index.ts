export type { RollcallSettings } from './config/settings.js';
export { createRollcall, type Rollcall, type RollcallOptions } from './create-rollcall.js';
