import { Refusal, type RefusalCode } from '@rollcall/core';

/** Checks that an error is a refusal with this code and, if given, this message. Every refusal says why. */
export function refused(code: RefusalCode, message?: string) {
  return (error: unknown) =>
    error instanceof Refusal &&
    error.code === code &&
    (message === undefined || error.message === message) &&
    saysWhy(error);
}

/** Whether the refusal has texts for everything that it names, and a time to wait where one is promised. */
export function saysWhy({ message, problems, retryAfter, code }: Refusal): boolean {
  const waits = ['too-many-requests', 'idempotency-key-in-use', 'sign-on-unreachable'].includes(code);
  const parts = [
    message,
    ...problems.flatMap((problem) => [problem.field ?? problem.code, problem.code, problem.message]),
  ];
  return parts.every((part) => typeof part === 'string' && part !== '') && waits === (retryAfter !== null);
}

/** The last part of the path of a link. */
export function tokenOf(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}
