/** An identity provider, as its administrator sees it. The settings and the guide show the same. */
export interface Preset {
  readonly title: string;
  /** What its issuer looks like. */
  readonly issuer: string;
  /** How the issuer of this provider is recognized. */
  readonly hosts: RegExp;
  /** The claim whose value becomes the `idp_id`. */
  readonly idClaim: string;
  /** What to click there for sign-on, in this order. */
  readonly steps: readonly string[];
  /** What to choose, and what to send as what we read, in its provisioning. */
  readonly directorySteps: readonly string[];
}

export type PresetName = keyof typeof presets;

export const presets = {
  entra: {
    title: 'Microsoft Entra ID',
    issuer: 'https://login.microsoftonline.com/{tenant ID}/v2.0',
    hosts: /(^|\.)(microsoftonline\.(com|us)|microsoftonline\.cn|windows\.net)$/,
    idClaim: 'oid',
    steps: [
      'Open App registrations, then New registration. Choose “Accounts in this organizational directory only”. As redirect URI, choose Web and enter the redirect address.',
      'On the overview, copy the Application (client) ID. The issuer is https://login.microsoftonline.com/{Directory (tenant) ID}/v2.0.',
      'Under Certificates & secrets, add a client secret and copy its value. Note the day on which it expires.',
      'Under Token configuration, add the optional claims email, family_name and given_name for the ID token.',
      'Under Enterprise applications, open the app. Under Properties, set “Assignment required” to Yes, and assign people under Users and groups. As homepage URL, enter the start address.',
    ],
    directorySteps: [
      'Under Provisioning, choose Automatic. Enter the base address as tenant URL and the token as secret token, then Test Connection.',
      'Under Mappings, switch groups off. For users, map objectId to externalId: the default, mailNickname, can change and repeat.',
      'Keep userPrincipalName as userName. Map mail to emails[type eq "work"].value, givenName to name.givenName, surname to name.familyName, and Switch([IsSoftDeleted], , "False", "True", "True", "False") to active.',
      'If you clear an attribute, the old value stays here. Disabled people are deactivated, and people who are deleted for good are removed.',
    ],
  },
  okta: {
    title: 'Okta',
    issuer: 'https://{your company}.okta.com',
    hosts: /(^|\.)(okta|oktapreview|okta-emea)\.com$/,
    idClaim: 'sub',
    steps: [
      'Open Applications, then Create App Integration. Choose OIDC and Web Application, with the grant type Authorization Code.',
      'Enter the redirect address as sign-in redirect URI. Assign the people or groups who may sign in.',
      'Under General, copy the client ID and the client secret. As initiate login URI, enter the start address.',
      'Under Sign On, set the issuer of the ID token to the Okta URL, and copy it.',
      'For sign-outs, enter the logout address under Logout, if your Okta has back-channel logout.',
    ],
    directorySteps: [
      'Under Provisioning, choose SCIM 2.0 with the base address, userName as unique identifier, and HTTP header with the token.',
      'Choose to create, update and deactivate users. Leave group push off.',
      'Okta sends its user ID as externalId. Its tests want at least one person who is a member here.',
      'Unassigned and suspended people are deactivated. Okta never removes anyone.',
    ],
  },
  google: {
    title: 'Google Workspace',
    issuer: 'https://accounts.google.com',
    hosts: /^accounts\.google\.com$/,
    idClaim: 'sub',
    steps: [
      'In the Google Cloud console, make a project of your organization. Under OAuth consent screen, choose Internal.',
      'Under Credentials, create an OAuth client ID for a web application. Enter the redirect address as authorized redirect URI.',
      'Copy the client ID and the client secret.',
      'Enter the domain of your Workspace in the settings here: all customers of Google share one issuer.',
    ],
    directorySteps: [
      'Google provisions apps from its catalog only. Where yours is one of them, enter the base address and the token.',
      'Map the user ID to externalId, and the primary address to userName and emails.',
      'Suspended people are deactivated.',
    ],
  },
  jumpcloud: {
    title: 'JumpCloud',
    issuer: 'https://oauth.id.jumpcloud.com/',
    hosts: /(^|\.)jumpcloud\.com$/,
    idClaim: 'sub',
    steps: [
      'Open SSO Applications, then Add New Application and Custom Application. Choose Manage Single Sign-On, then Configure SSO with OIDC.',
      'Enter the redirect address as redirect URI and the start address as login URL. Choose Client Secret POST.',
      'Select the standard scopes Email and Profile. Under User Groups, choose who may sign in.',
      'Activate it, and copy the client ID and the client secret.',
    ],
    directorySteps: [
      'Under Identity Management, choose SCIM 2.0 with the base address and the token, then Test Connection.',
      'Leave the management of groups off.',
      'Map the JumpCloud ID to externalId.',
      'Suspended people, and those who lose the app, are deactivated.',
    ],
  },
  onelogin: {
    title: 'OneLogin',
    issuer: 'https://{your company}.onelogin.com/oidc/2',
    hosts: /(^|\.)onelogin\.com$/,
    idClaim: 'sub',
    steps: [
      'Open Applications, then Add App, and search for OpenId Connect (OIDC).',
      'Under Configuration, enter the redirect address as redirect URI and the start address as login URL.',
      'Under SSO, copy the client ID, the client secret and the issuer URL. Set the application type to Web and the token endpoint to POST.',
      'Under Access, choose the roles whose people may sign in.',
    ],
    directorySteps: [
      'Choose a SCIM Provisioner (SCIM v2) and enter the base address and the token.',
      'Map the OneLogin ID to externalId in the JSON template.',
      'Choose whether people who leave are suspended, which deactivates them, or deleted, which removes them.',
    ],
  },
  other: {
    title: 'Another provider',
    issuer: 'https://sign-in.example.com',
    hosts: /^$/,
    idClaim: 'sub',
    steps: [
      'Make a client of the kind web application, with the authorization code flow, PKCE with S256, and a client secret.',
      'Enter the redirect address. If it can, enter the start address for its list of apps, and the logout address for back-channel logout.',
      'Let it give the scopes openid, email and profile, and sign ID tokens with RS256, PS256, ES256 or EdDSA.',
      'The issuer is the value of “issuer” in its file /.well-known/openid-configuration.',
    ],
    directorySteps: [
      'Use SCIM 2.0 with a bearer token. Only users are kept: groups are an empty list.',
      'Send an ID that never changes as externalId. It becomes the identity provider ID by which your programs find people.',
      'Send userName, emails, name.givenName, name.familyName, displayName and active. Other attributes are ignored.',
      'People with active false are deactivated. DELETE removes them. A new name or address keeps the person, and changes an account that the directory has made.',
    ],
  },
} as const satisfies Readonly<Record<string, Preset>>;

export const presetNames = Object.keys(presets) as readonly PresetName[];

/** The provider that the reader has chosen, otherwise that of the issuer. */
export function presetOf(chosen: unknown, issuer: string | null): PresetName {
  const named = presetNames.find((name) => name === chosen);
  if (named !== undefined) return named;
  if (issuer === null) return 'entra';
  const { hostname } = new URL(issuer);
  return presetNames.find((name) => presets[name].hosts.test(hostname)) ?? 'other';
}
