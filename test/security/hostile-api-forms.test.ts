import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  base,
  isUnreadable,
  refusedOrAccepted,
  type Target,
  useHostileApi,
} from '../support/security/hostile-api.js';
import { fillBody, invitedAgain, otherFields, personFields } from '../support/security/hostile-people.js';
import type { HostileValue } from '../support/security/hostile-values.js';

const { everywhere, testEach, testNoFailure } = useHostileApi();

const boundary = 'a-boundary-of-the-tests';

function urlencoded(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, encoded]) => `${name}=${encoded}`)
    .join('&');
}

function multipart(fields: Readonly<Record<string, string>>): string {
  const parts = Object.entries(fields).map(
    ([name, text]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
  );
  return `${parts.join('')}--${boundary}--\r\n`;
}

/** An invitation by a form with the value in the place of VALUE. */
function sending(
  type: string,
  form: string,
  textOf: (value: HostileValue) => string,
): Pick<Target, 'name' | 'call'> {
  return {
    name: form,
    call: (value, number) => ({
      method: 'POST',
      path: `${base}/invite_user`,
      sent: { headers: { 'Content-Type': type }, body: fillBody(form, textOf(value), number) },
    }),
  };
}

const byUrlencoded = (form: string) =>
  sending('application/x-www-form-urlencoded', form, ({ encoded }) => encoded);
const byMultipart = (form: string) =>
  sending(`multipart/form-data; boundary=${boundary}`, form, ({ text }) => text);

describe('Hostile values in every form of the API', () => {
  for (const field of personFields) {
    const fields = { ...otherFields, [field]: 'VALUE' };
    const check = refusedOrAccepted(field);
    testEach(`urlencoded ${field}: is stored as it is, or refused by its name`, {
      ...byUrlencoded(urlencoded(fields)),
      check,
      readBack: invitedAgain({
        everywhere,
        field,
        sentText: ({ encoded }) => decodeURIComponent(encoded.replaceAll('+', ' ')),
      }),
    });

    testEach(`multipart ${field}: is stored as it is, or refused by its name`, {
      ...byMultipart(multipart(fields)),
      check,
      // Halves of surrogate pairs have no bytes of their own.
      readBack: invitedAgain({ everywhere, field, sentText: ({ text }) => Buffer.from(text).toString() }),
    });

    for (const charset of ['utf-16le', 'latin1', 'x-unknown']) {
      const type = `name="${field}"\r\nContent-Type: text/plain; charset=${charset}\r\n`;
      testEach(`multipart ${field} in ${charset}: is stored as a form could send it, or refused`, {
        ...byMultipart(multipart(fields).replace(`name="${field}"\r\n`, type)),
        check,
      });
    }
  }

  testEach('a hostile name of a field is ignored', {
    ...byUrlencoded(`${urlencoded(otherFields)}&VALUE=1`),
    check(reply, value) {
      if (!isUnreadable(reply, value)) assert.equal(reply.status, 200, reply.text);
    },
  });
});

testNoFailure();
