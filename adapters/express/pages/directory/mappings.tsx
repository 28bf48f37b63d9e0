import { Steps } from '../design/components.js';

/** What to map in the provisioning of an identity provider, as its administrator reads it. */
interface Mapping {
  readonly title: string;
  /** Each: what Rollcall reads, and what to send as it. */
  readonly steps: readonly string[];
}

const mappings: Readonly<Record<string, Mapping>> = {
  entra: {
    title: 'Microsoft Entra ID',
    steps: [
      'Under Provisioning, choose Automatic. Enter the base address as tenant URL and the token as secret token, then Test Connection.',
      'Under Mappings, switch groups off. For users, map objectId to externalId: the default, mailNickname, can change and repeat.',
      'Keep userPrincipalName as userName. Map mail to emails[type eq "work"].value, givenName to name.givenName, surname to name.familyName, and Switch([IsSoftDeleted], , "False", "True", "True", "False") to active.',
      'If you clear an attribute, the old value stays here. Disabled people are deactivated, and people who are deleted for good are removed.',
    ],
  },
  okta: {
    title: 'Okta',
    steps: [
      'Under Provisioning, choose SCIM 2.0 with the base address, userName as unique identifier, and HTTP header with the token.',
      'Choose to create, update and deactivate users. Leave group push off.',
      'Okta sends its user ID as externalId. Its tests want at least one person who is a member here.',
      'Unassigned and suspended people are deactivated. Okta never removes anyone.',
    ],
  },
  google: {
    title: 'Google Workspace',
    steps: [
      'Google provisions apps from its catalog only. Where yours is one of them, enter the base address and the token.',
      'Map the user ID to externalId, and the primary address to userName and emails.',
      'Suspended people are deactivated.',
    ],
  },
  jumpcloud: {
    title: 'JumpCloud',
    steps: [
      'Under Identity Management, choose SCIM 2.0 with the base address and the token, then Test Connection.',
      'Leave the management of groups off.',
      'Map the JumpCloud ID to externalId.',
      'Suspended people, and those who lose the app, are deactivated.',
    ],
  },
  onelogin: {
    title: 'OneLogin',
    steps: [
      'Choose a SCIM Provisioner (SCIM v2) and enter the base address and the token.',
      'Map the OneLogin ID to externalId in the JSON template.',
      'Choose whether people who leave are suspended, which deactivates them, or deleted, which removes them.',
    ],
  },
  other: {
    title: 'Other providers',
    steps: [
      'Use SCIM 2.0 with a bearer token. Only users are kept: groups are an empty list.',
      'Send an ID that never changes as externalId. It becomes the identity provider ID by which your programs find people.',
      'Send userName, emails, name.givenName, name.familyName, displayName and active. Other attributes are ignored.',
      'People with active false are deactivated. DELETE removes them. A new name or address keeps the person, and changes an account that the directory has made.',
    ],
  },
};

/** What to map at each provider, as the directory's page and the guide show it. */
export function Mappings() {
  return (
    <>
      {Object.entries(mappings).map(([name, { title, steps }]) => (
        <details key={name}>
          <summary>{title}</summary>
          <Steps of={steps} />
        </details>
      ))}
    </>
  );
}
