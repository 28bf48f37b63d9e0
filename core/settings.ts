import type { Secret } from './values/secret.js';

/** What the one who assembles the core decides; see `defaultSettings` for what may be left out. */
export interface Settings {
  /** The operator's brand: letters, digits, spaces and hyphens (decision 1). */
  readonly serviceName: string;
  /** IANA name; the zone of presets for organizations that have set none (decision 9). */
  readonly reportingTimeZone: string;
  /** Wrong access keys a minute per address; 0: no limit (decision 31). */
  readonly failedAuthenticateLimit: number;
  /** Failures in a row of one webhook until the last notice of them; 0: no notices (decision 87). */
  readonly webhookFailureNotice: number;
  /** Where the pages are, so that links can be handed out. */
  readonly links: {
    readonly invitation: (token: Secret) => string;
    readonly login: (token: Secret) => string;
    /** Needed by `openCalendarFeed` only. */
    readonly calendar?: ((token: Secret) => string) | undefined;
    readonly defaultAvatar: string;
  };
}

export const defaultSettings = {
  serviceName: 'Service',
  reportingTimeZone: 'UTC',
  failedAuthenticateLimit: 100,
  webhookFailureNotice: 20,
} as const satisfies Partial<Settings>;
