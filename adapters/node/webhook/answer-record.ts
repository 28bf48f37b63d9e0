import type { IncomingMessage } from 'node:http';
import type { AttemptResponse } from '@rollcall/core';

/** The maximum number of bytes of a body that are recorded. */
const MAX_BODY_BYTES = 8 * 1024;
/** The maximum number of bytes of all headers, names and values, that are recorded. */
const MAX_HEADERS_BYTES = 16 * 1024;

export type RecordableAnswer = Pick<IncomingMessage, 'rawHeaders' | 'complete'>;

/** Keeps the beginning of an answer while it arrives. */
export type AnswerRecord = ReturnType<typeof createAnswerRecord>;

export function createAnswerRecord() {
  let answer: RecordableAnswer | null = null;
  const chunks: Buffer[] = [];
  let kept = 0;
  let isCut = false;
  return {
    begin(begun: RecordableAnswer): void {
      answer = begun;
    },
    add(bytes: Buffer): void {
      const fitting = bytes.subarray(0, MAX_BODY_BYTES - kept);
      if (fitting.length > 0) chunks.push(fitting);
      kept += fitting.length;
      if (fitting.length < bytes.length) isCut = true;
    },
    /** What has arrived so far; null if the answer has not begun. */
    response(): AttemptResponse | null {
      if (answer === null) return null;
      const { headers, isWhole } = recordedHeaders(answer.rawHeaders);
      const isTruncated = isCut || !isWhole || !answer.complete;
      return { headers, body: textOf(Buffer.concat(chunks), isTruncated), isTruncated };
    },
  };
}

/** `raw` contains names and values in turn, each byte as one character. */
function recordedHeaders(raw: readonly string[]) {
  const byKey = new Map<string, [name: string, value: string]>();
  let size = 0;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = raw.slice(at, at + 2);
    size += name.length + value.length;
    if (size > MAX_HEADERS_BYTES) return { headers: headersOf(byKey), isWhole: false };
    const key = name.toLowerCase();
    const text = textOf(Buffer.from(value, 'latin1'), false);
    const earlier = byKey.get(key);
    if (earlier === undefined) byKey.set(key, [name, text]);
    else earlier[1] += `, ${text}`;
  }
  return { headers: headersOf(byKey), isWhole: true };
}

/** Unlike an assignment, this also keeps a header with the name `__proto__`. */
function headersOf(byKey: ReadonlyMap<string, readonly [string, string]>): AttemptResponse['headers'] {
  return Object.fromEntries(byKey.values());
}

/** With `isTruncated`, bytes at the end that may be the beginning of a character are left out. */
function textOf(bytes: Buffer, isTruncated: boolean): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: isTruncated });
}
