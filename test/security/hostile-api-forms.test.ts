import '../support/run/without-coverage.js';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { base, isUnreadable, refusedOrAccepted, useHostileApi } from '../support/security/hostile-api.js';
import { fillBody, invitedAgain, otherFields, personFields } from '../support/security/hostile-people.js';

const { everywhere, sendAll, testNoFailure } = useHostileApi();

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

describe('Hostile values in every form of the API', () => {
  const path = `${base}/invite_user`;
  for (const field of personFields) {
    test(`urlencoded ${field}: is stored as it is, or refused by its name`, () =>
      sendAll({
        name: field,
        call({ encoded }, number) {
          const value = encoded.replaceAll('&', '%26');
          return {
            method: 'POST',
            path,
            sent: {
              headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
              body: fillBody(urlencoded({ ...otherFields, [field]: 'VALUE' }), value, number),
            },
          };
        },
        check: refusedOrAccepted(field),
        readBack: invitedAgain({
          everywhere,
          field,
          sentText: ({ encoded }) => decodeURIComponent(encoded.replaceAll('+', ' ')),
        }),
      }));

    test(`multipart ${field}: is stored as it is, or refused by its name`, () =>
      sendAll({
        name: field,
        call: ({ text }, number) => ({
          method: 'POST',
          path,
          sent: {
            headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
            body: fillBody(multipart({ ...otherFields, [field]: 'VALUE' }), text, number),
          },
        }),
        check: refusedOrAccepted(field),
        // Halves of surrogate pairs have no bytes of their own.
        readBack: invitedAgain({ everywhere, field, sentText: ({ text }) => Buffer.from(text).toString() }),
      }));

    for (const charset of ['utf-16le', 'latin1', 'x-unknown']) {
      test(`multipart ${field} in ${charset}: is stored as a form could send it, or refused`, () =>
        sendAll({
          name: field,
          call: ({ text }, number) => ({
            method: 'POST',
            path,
            sent: {
              headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
              body: fillBody(
                multipart({ ...otherFields, [field]: 'VALUE' }).replace(
                  `name="${field}"\r\n`,
                  `name="${field}"\r\nContent-Type: text/plain; charset=${charset}\r\n`,
                ),
                text,
                number,
              ),
            },
          }),
          check: refusedOrAccepted(field),
        }));
    }
  }

  test('a hostile name of a field is ignored', () =>
    sendAll({
      name: 'a name',
      call: ({ encoded }, number) => ({
        method: 'POST',
        path,
        sent: {
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body: fillBody(`${urlencoded({ ...otherFields })}&VALUE=1`, encoded, number),
        },
      }),
      check(reply, value) {
        if (!isUnreadable(reply, value)) assert.equal(reply.status, 200, reply.text);
      },
    }));
});

testNoFailure();
