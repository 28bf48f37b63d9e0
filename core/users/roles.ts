import type { Role } from './ports.js';

export const roles: readonly Role[] = ['owner', 'admin', 'member'];
