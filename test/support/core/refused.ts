import { Refusal, type RefusalCode } from '@rollcall/core';

/** Recognizes a refusal by its code and, where given, its message. */
export function refused(code: RefusalCode, message?: string) {
  return (error: unknown) =>
    error instanceof Refusal && error.code === code && (message === undefined || error.message === message);
}

/** The last part of the path of a link. */
export function tokenOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}
