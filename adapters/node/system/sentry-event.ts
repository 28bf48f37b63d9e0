import { fileURLToPath } from 'node:url';
import type { ErrorEvent, Exception, Mechanism, StackFrame } from '@sentry/core';
import { withoutSecretShapes } from './log.js';

/** Sentry accepts 200 characters in a tag. */
const MAX_TAG_CHARACTERS = 200;
const MAX_MESSAGE_CHARACTERS = 4000;
const MAX_PATH_CHARACTERS = 500;

/**
 * The allow-list: copies the fields that may be sent to Sentry. Everything else that the client, a library or a
 * surrounding application adds to an event is left out: requests, users, host names, breadcrumbs, variables.
 */
export function allowedEvent(event: ErrorEvent): ErrorEvent {
  const { event_id, timestamp, platform, level, release, environment, exception, tags } = event;
  return {
    type: undefined,
    ...present({ event_id, timestamp, platform, level, release, environment }),
    exception: { values: (exception?.values ?? []).map(allowedException) },
    tags: present({
      operation: tagText(tags?.operation),
      request_id: tagText(tags?.request_id),
      release: tagText(tags?.release),
    }),
  };
}

function allowedException({ type, value, mechanism, stacktrace }: Exception): Exception {
  return present({
    type: messageText(type),
    value: messageText(value),
    mechanism: mechanism && allowedMechanism(mechanism),
    stacktrace: stacktrace && { frames: (stacktrace.frames ?? []).map(allowedFrame) },
  });
}

/** The mechanism links a cause to its error. */
function allowedMechanism({ type, handled, source, exception_id, parent_id }: Mechanism): Mechanism {
  return { type, ...present({ handled, source: messageText(source), exception_id, parent_id }) };
}

function allowedFrame({ function: name, filename, lineno, colno, in_app }: StackFrame): StackFrame {
  return present({
    function: messageText(name)?.slice(0, MAX_PATH_CHARACTERS),
    filename: pathFromRoot(filename)?.slice(0, MAX_PATH_CHARACTERS),
    lineno,
    colno,
    in_app,
  });
}

function messageText(text: string | undefined): string | undefined {
  return text === undefined ? undefined : withoutSecretShapes(String(text)).slice(0, MAX_MESSAGE_CHARACTERS);
}

function tagText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return withoutSecretShapes(value).replaceAll(/\s+/g, ' ').slice(0, MAX_TAG_CHARACTERS);
}

/** The folder in which the product is installed. */
const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Returns a path that is the same on every machine and does not contain the name of a user's folder. */
function pathFromRoot(file: string | undefined): string | undefined {
  const path = messageText(file);
  return path?.startsWith(root) ? path.slice(root.length) : path;
}

type Present<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** The fields that have a value. */
function present<Fields extends object>(fields: Fields): Partial<Present<Fields>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<
    Present<Fields>
  >;
}
