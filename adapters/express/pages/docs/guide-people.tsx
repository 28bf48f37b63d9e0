import { type GuideContent, Shell } from './guide-shell.js';

/** Finding and changing the people of the organization. */
export function People({ commands }: GuideContent) {
  return (
    <>
      <p>
        Everyone who has joined is in the list, with the <code>id</code> that the invitation returned and your
        own <code>idp_id</code>. Send <code>next</code> as <code>after</code> until it is null.
      </p>
      <Shell commands={commands} id="every-person" />
      <p>
        <code>email</code>, <code>idp_id</code>, <code>role</code> and <code>search</code> narrow the list;{' '}
        <code>search=tomas</code> finds Tomás.
      </p>
      <Shell commands={commands} id="by-idp-id" />
      <p>
        Set the <code>idp_id</code> of someone who joined without one, or remove it with <code>null</code>.
        DELETE on the same path ends the membership. Their sessions, login links and calendar feed end at
        once. Owners are removed on the People page. With <code>?erase=1</code>, the account and everything
        that is stored about the person are erased too, if no other organization has them; their events then
        have <code>null</code> in every field of <code>user</code>, and <code>erased</code> is true.
      </p>
      <Shell commands={commands} id="set-idp-id" />
    </>
  );
}

/** Inviting many people, and correcting and withdrawing invitations. */
export function Invitations({ commands }: GuideContent) {
  return (
    <>
      <p>
        <code>invite_users</code> invites up to 500 people and returns a result for each, in your order. A
        wrong entry stops no other, and its result has a <code>code</code>. With an <code>idp_id</code>, which
        the person gets on joining, you find their meetings by your own ID. If the connection breaks, send the
        same list with the same <code>Idempotency-Key</code> again to get the same answer.
      </p>
      <Shell commands={commands} id="invite-many" />
      <p>
        Someone who has a pending invitation already gets <code>existing</code> with that invitation,
        unchanged, even if your entry has another name. Renew it to correct the name.
      </p>
      <p>
        If you lose an <code>id</code> or a link, the list has them. <code>state</code> is{' '}
        <code>pending</code>, <code>accepted</code>, <code>revoked</code> or <code>replaced</code>. If an{' '}
        <code>idp_id</code> is taken, <code>?idp_id=</code> of this list or of the users finds who has it.
      </p>
      <Shell commands={commands} id="invitations" />
      <Shell commands={commands} id="invitation" />
      <p>
        To correct a name or an <code>idp_id</code>, renew the invitation. The person gets a new link, the old
        one stops working, and the <code>id</code> stays the same. The invitation before it is listed as{' '}
        <code>replaced</code>. POST to <code>revoke</code> ends an invitation; renewing brings it back.
      </p>
      <Shell commands={commands} id="renew" />
    </>
  );
}
