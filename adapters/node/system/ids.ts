import { randomUUID } from 'node:crypto';
import type { Ids } from '@rollcall/core';

export const randomIds: Ids = { uuid: () => randomUUID() };
