import { createRequire } from 'node:module';
import type typescript from '../../contracts/node_modules/typescript/lib/typescript.js';

const requireInContracts = createRequire(new URL('../../../contracts/package.json', import.meta.url));

/** TypeScript 5, which reads sources. TypeScript 7, which builds them, has no interface for programs. */
export const compiler = requireInContracts('typescript') as typeof typescript;
