import type { PackedCore } from '../support/packed-core.js';

export function readmeSuite(_packed: PackedCore): void {}
