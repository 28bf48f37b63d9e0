import { createClient, type RollcallClient } from '@rollcall/contracts/client';

/** What the partner knows about the service. */
export interface Settings {
  /** The URL of the API. */
  readonly baseUrl: string;
  readonly organizationId: number;
  readonly accessKey: string;
}

export interface Connection {
  readonly api: RollcallClient;
  /** The organization, for paths with `{id}`. */
  readonly id: string;
  /** The parameters of a webhook path. */
  readonly ofWebhook: { readonly path: { readonly organization_id: string } };
}

export function connect({ organizationId, ...settings }: Settings): Connection {
  const id = String(organizationId);
  return { api: createClient(settings), id, ofWebhook: { path: { organization_id: id } } };
}
