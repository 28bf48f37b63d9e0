import { isIP } from 'node:net';
import type { Mailer, Secret, SentMail } from '@rollcall/core';
import { meaningOf } from '../error-meanings.js';
import { htmlOf } from './html-of.js';

export interface SmtpMailerSettings {
  /** `smtp://` or `smtps://`, with the user name and password if the server needs them. */
  readonly smtpUrl: Secret;
  /** The address of the sender. */
  readonly from: string;
  readonly senderName: string;
  /** The URL of the service. Its host introduces the service to the mail server. */
  readonly publicUrl?: string | undefined;
  /** A mail ends after this time, even if the server keeps answering slowly. By default 45 s. */
  readonly maxSendingMs?: number;
}

export interface SmtpMailer extends Mailer {
  /** Ends the mails that are being sent, as failed. */
  stop(): void;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** The longest silence of the server within a mail. */
const SILENCE_TIMEOUT_MS = 15_000;
const MAX_SENDING_MS = 45_000;

/** Only a service that sends mails loads it. */
const loadNodemailer = () => import('nodemailer');

/** Sends each mail over a connection of its own. Files, URLs and programs cannot be part of a mail. */
export function smtpMailer({
  smtpUrl,
  from,
  senderName,
  publicUrl,
  maxSendingMs = MAX_SENDING_MS,
}: SmtpMailerSettings): SmtpMailer {
  const underWay = new Set<AbortController>();
  return {
    async send({ to, subject, text }) {
      const { createTransport } = await loadNodemailer();
      const transport = createTransport({
        ...connectionOf(new URL(smtpUrl.reveal())),
        ...nameOf(publicUrl),
        connectionTimeout: CONNECT_TIMEOUT_MS,
        greetingTimeout: CONNECT_TIMEOUT_MS,
        dnsTimeout: CONNECT_TIMEOUT_MS,
        socketTimeout: SILENCE_TIMEOUT_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      // An abort closes the connection: otherwise a mail that counts as failed could still be sent, and again later.
      const sending = new AbortController();
      const { signal } = sending;
      underWay.add(sending);
      const timer = setTimeout(() => sending.abort('it took too long'), maxSendingMs);
      try {
        await transport.sendMail({
          from: { name: senderName, address: from },
          // As an address, so that no text in it can be read as several.
          to: { name: '', address: to },
          subject,
          text: text.reveal(),
          html: htmlOf(text.reveal()),
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal,
        });
        return { outcome: 'sent' };
      } catch (error) {
        return signal.aborted ? failed(String(signal.reason)) : resultOf(error);
      } finally {
        clearTimeout(timer);
        underWay.delete(sending);
        transport.close();
      }
    },
    stop() {
      for (const sending of underWay) sending.abort('the service was stopped');
    },
  };
}

/**
 * The name with which the service greets. Mail servers refuse the default of nodemailer, which in a container is the
 * address 127.0.0.1. A name without a dot is no better.
 */
function nameOf(publicUrl: string | undefined): { readonly name?: string } {
  if (publicUrl === undefined) return {};
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return { name: isIP(host) === 6 ? `[IPv6:${host}]` : `[${host}]` };
  return host.includes('.') ? { name: host } : {};
}

/** With a user name, the password is sent only over an encrypted connection. */
function connectionOf(url: URL) {
  const secure = url.protocol === 'smtps:';
  const user = decodeURIComponent(url.username);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    ...(user !== '' && {
      auth: { user, pass: decodeURIComponent(url.password) },
      requireTLS: !secure,
    }),
  };
}

function failed(reason: string): SentMail {
  return { outcome: 'failed', reason };
}

interface SmtpError {
  /** nodemailer's code of the step that failed. */
  readonly code?: unknown;
  /** The runtime's code, which says more. */
  readonly originalCode?: unknown;
  readonly command?: unknown;
  readonly responseCode?: unknown;
}

/** The server's own words are left out: they often repeat the recipient's address. */
function resultOf(error: unknown): SentMail {
  const { code, originalCode = code, command, responseCode } = error as SmtpError;
  if (typeof responseCode !== 'number') {
    if (typeof originalCode !== 'string') return failed('it failed');
    const meaning = meaningOf(originalCode);
    return failed(
      `the mail server cannot be used: ${meaning === null ? originalCode : `${meaning} (${originalCode})`}`,
    );
  }
  const step = typeof command === 'string' ? ` to ${command.split(' ', 1)[0]}` : '';
  const reason = `the mail server answered ${responseCode}${step}`;
  // Other refusals, such as of the password or the sender, are mistakes of the operator, who can fix them.
  const isForGood = responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA');
  return isForGood ? { outcome: 'refused', reason } : failed(reason);
}
