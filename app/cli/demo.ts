import type { KeptMail } from '@rollcall/express';
import { createLog } from '@rollcall/node/log';
import { processEnvironment } from '../config.js';
import { startDemo } from '../demo/demo.js';
import { guideLines } from '../demo/guide.js';
import type { Received } from '../demo/receiver.js';
import { shutdownOnSignals } from '../shutdown.js';
import { isTerminal, print, printJson, say, styledMessage } from '../terminal.js';

export interface DemoOptions {
  readonly fresh?: boolean;
  readonly json?: boolean;
}

export async function demoCommand({ fresh = false, json = false }: DemoOptions): Promise<void> {
  const log = createLog({
    level: 'warn',
    pretty: isTerminal.stderr(),
    destination: { write: (line) => process.stderr.write(line) },
  });
  const { service, guide } = await startDemo({
    environment: processEnvironment,
    fresh,
    log,
    onLoading: () => say('Loading the sample data …'),
    onReceived: (received) => say(receivedLine(received)),
    onMail: (mail) => say(mailLine(mail)),
  });
  shutdownOnSignals(service, log);
  if (json || !isTerminal.stdout()) printJson(guide);
  else for (const line of guideLines(guide)) print(line);
}

function receivedLine(received: Received): string {
  if (!received.verified) return styledMessage('red', `✘ The receiver refused a webhook: ${received.reason}`);
  const { event, eventId, isTest, body } = received;
  const { organization, user } = body;
  const who = `${user.first_name} ${user.last_name} <${user.email}>`;
  const what = isTest ? 'a test with a made-up user' : `${who} joined ${organization.name}`;
  return styledMessage('green', `✔ The receiver verified ${event}: ${what} (event ${eventId})`);
}

function mailLine({ to, subject, text }: KeptMail): string {
  const url = /https?:\S+/.exec(text)?.[0];
  return styledMessage('green', `✉ Mail to ${to}: ${subject}${url === undefined ? '' : ` ${url}`}`);
}
