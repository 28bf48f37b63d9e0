/** Is told how the service is used, for the operator's figures. */
export interface Observer {
  /**
   * An access key that was replaced, or a token of it, has been accepted because it is still kept. The caller does not
   * wait. Must not throw.
   */
  olderKeyUsed(use: { readonly organizationId: number; readonly by: 'access-key' | 'token' }): void;
}
