import { readAddress } from '@rollcall/core/adapters';
import type { Request } from 'express';

/** The IP address of the client, without a port. Empty if unknown. */
export function clientAddress(request: Request): string {
  return readAddress(request.ip ?? '') ?? '';
}
