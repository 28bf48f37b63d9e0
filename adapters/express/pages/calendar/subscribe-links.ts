/** Links that open a calendar app with the address of a feed. Google and Microsoft then get the address. */
export function subscribeLinks({
  url,
  name,
}: {
  readonly url: string;
  /** The name of the calendar. */
  readonly name: string;
}): readonly { readonly text: string; readonly href: string }[] {
  const webcal = url.replace(/^https?:/, 'webcal:');
  const outlook = new URLSearchParams({ url, name }).toString();
  return [
    { text: 'Apple Calendar', href: webcal },
    // Google subscribes to a feed that changes only with this scheme.
    {
      text: 'Google Calendar',
      href: `https://calendar.google.com/calendar/r?${new URLSearchParams({ cid: webcal })}`,
    },
    { text: 'Outlook.com', href: `https://outlook.live.com/calendar/0/addfromweb?${outlook}` },
    { text: 'Outlook at work', href: `https://outlook.office.com/calendar/0/addfromweb?${outlook}` },
  ];
}
