import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** Starts a mail server on the loopback address that keeps what it receives. */
export async function startMailServer(options: SMTPServerOptions & { readonly port?: number } = {}) {
  const { port = 0, ...others } = options;
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    onData(stream, { envelope }, done) {
      text(stream).then((raw) => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        received.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw });
        done();
      }, done);
    },
    ...others,
  });
  server.on('error', () => {});
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    received: received as readonly ReceivedMail[],
    port: (server.server.address() as AddressInfo).port,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** The text of a received mail, without its quoted-printable encoding. */
export function textOf({ raw }: ReceivedMail): string {
  const body = raw.slice(raw.indexOf('\r\n\r\n') + 4);
  if (!/^Content-Transfer-Encoding: quoted-printable\r?$/im.test(raw)) return body;
  return body
    .replace(/=\r?\n/g, '')
    .replace(/(?:=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString());
}
