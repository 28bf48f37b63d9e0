import { Refusal, type RefusalCode } from '@rollcall/core';

/** Checks that an error is a refusal with this code and, if given, this message. */
export function refused(code: RefusalCode, message?: string) {
  return (error: unknown) =>
    error instanceof Refusal && error.code === code && (message === undefined || error.message === message);
}

/** The last part of the path of a link. */
export function tokenOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}
