import type { AttemptRequest, RecordedAttempt } from './deliveries.js';

/** A signed request, ready to be sent. */
export interface WebhookRequest {
  /** An absolute URL that begins with `https://`. */
  readonly url: string;
  /** The headers to send, with the signature and the id of the event. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as exactly these UTF-8 bytes. */
  readonly body: string;
}

/** The result of sending a request. */
export interface SentAttempt extends Omit<RecordedAttempt, 'startedAt'> {
  /** The URL and the headers of the request. */
  readonly request: AttemptRequest;
  /** The runtime's code of the error that ended the attempt, for the operator's log. Left out if there is none. */
  readonly code?: string | undefined;
}

/** Sends events over the network. */
export interface WebhookSender {
  /**
   * Sends exactly one POST with these headers and this body, and returns the result. Never throws, does not wait for
   * other attempts, and ends after 16 s at the latest, even if the receiver stalls or sends without end.
   *
   * Sends only to https URLs without credentials, and only to receivers with a trusted certificate for the host of the
   * URL. Connects only to public addresses and to those that the operator has allowed, however the URL writes them. Of
   * a name, every address must be allowed. A refused URL or address ends the attempt without a connection, in the phase
   * `address`, or `lookup` for a name.
   *
   * The status of the first final answer (200 or higher) decides, even if its body does not arrive: only 2xx counts as
   * delivered. Redirects are not followed, and nothing is sent twice. Without an answer, the status is null.
   *
   * The result contains the request with every header that was sent, those that the sender added too, and the response
   * within the limits of `AttemptResponse`. Without an answer, the response is null.
   */
  send(request: WebhookRequest): Promise<SentAttempt>;
  /**
   * The reason with which `send` would refuse the URL, if it is known without an attempt; otherwise null. Connects to
   * nothing and looks no name up.
   */
  refusalOf(url: string): string | null;
}
