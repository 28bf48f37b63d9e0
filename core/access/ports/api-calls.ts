/** A call of an operation of the API, without secrets and without what names a person. */
export interface ApiCall {
  /** The organization of the access key or token. */
  readonly organizationId: number;
  /** When the call ended, by the clock of the core. */
  readonly at: Date;
  /** Such as `GET`. */
  readonly method: string;
  /** The `operationId` of openapi.yaml. */
  readonly operation: string;
  /**
   * The path, with names for what identifies people, and the names of its query parameters:
   * `/api/v2/organizations/2/users/{uuid}`, `/api/v2/organizations/2/users?email`.
   */
  readonly path: string;
  /** The status of the answer; null: the client left before the end of the answer. */
  readonly status: number | null;
  /** The `X-Error-Code` of the answer; null: it has none. */
  readonly errorCode: string | null;
  /** What the answer says is wrong, without what the client sent, at most 300 characters; null: nothing is. */
  readonly errorText: string | null;
  /** The `X-Request-Id` of the answer. */
  readonly requestId: string;
  /** From the head of the request to the end of the answer, in whole milliseconds. */
  readonly milliseconds: number;
}

/** The latest calls of the API, for the owners of each organization. */
export interface ApiCalls {
  /**
   * Stores calls of any organizations, in the order in which they ended. Leaves out those of organizations that do not
   * exist. Of each organization, the newest `maxApiCalls` stay. Older ones are deleted by this or the next call of this method
   * for the organization.
   */
  add(calls: readonly ApiCall[]): Promise<void>;
  /** The organization's newest calls, at most `maxApiCalls`, newest first; of the same time, the last added first. */
  latest(organizationId: number): Promise<readonly ApiCall[]>;
}
