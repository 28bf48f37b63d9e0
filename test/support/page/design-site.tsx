import { createServer } from 'node:http';
import express from 'express';
import { loadAssets } from '#adapters/express/pages/design/assets.js';
import { Avatar } from '#adapters/express/pages/design/avatar.js';
import { type Brand, defaultBrand } from '#adapters/express/pages/design/brand.js';
import {
  Badge,
  Banner,
  Button,
  ButtonLink,
  CopyText,
  DataTable,
  Empty,
  Filters,
} from '#adapters/express/pages/design/components.js';
import { Checkbox, Field, Select, TextArea } from '#adapters/express/pages/design/form.js';
import type { Frame } from '#adapters/express/pages/design/frame.js';
import { showPage } from '#adapters/express/pages/design/layout.js';
import { Pagination } from '#adapters/express/pages/design/list.js';
import { pageHeaders } from '#adapters/express/pages/page-headers.js';
import { publicAddress } from '#adapters/express/pages/public-address.js';
import { endServer, listen } from '../listen.js';

export type DesignSite = Awaited<ReturnType<typeof startDesignSite>>;

/** Serves one page, `/design`, with every part of the design. The service itself does not have it. */
export async function startDesignSite(brand: Brand = defaultBrand) {
  const app = express();
  const server = createServer(app);
  const url = `http://127.0.0.1:${await listen(server)}`;
  const address = publicAddress(url);
  const assets = loadAssets(brand);
  const setHeaders = pageHeaders(address).page;
  app.get('/assets/:name', (request, response, next) => {
    setHeaders(request, response);
    if (!assets.serve(request, response)) next();
  });
  app.get('/design', (request, response) => {
    setHeaders(request, response);
    const visit = { serviceName: 'Acme Care', address, assets: assets.links, request, response, frame };
    showPage({ ...visit, kept: null }, { title: 'Design' }, <Design address={address} />);
  });
  return { url, stop: () => endServer(server) };
}

export const longName = 'W'.repeat(300);
export const rightToLeftName = 'مركز الشمال للرعاية والدعم';

const organizations = ['Northwind Wellness', rightToLeftName, longName].map((name, index) => ({
  id: index + 1,
  name,
  path: `/organizations/${index + 1}`,
}));

const frame: Frame = {
  signedIn: {
    user: { id: 1, avatar: null, firstName: 'نور', lastName: longName },
    formToken: { fields: { form_token: 'a token' } },
    startedBy: 'password',
    endsInMs: 1_800_000,
  },
  navigation: {
    organization: { id: 3, name: longName },
    organizations,
    sections: [
      { name: 'my-meetings', title: 'My meetings', path: '#' },
      { name: 'people', title: 'People', path: '#' },
      { name: 'webhooks', title: 'Webhooks', path: '#' },
      { name: 'settings', title: 'Organization', path: '#' },
    ],
    current: 'webhooks',
  },
};

/** Each part has a hyphen, and one is wider than a phone. */
export const longAddress = `https://northwind-wellness.example.com/calendar/grief-and-loss/${'N-'.repeat(60)}.ics`;

export const people = [
  { name: 'Dana Kim', role: 'Owner', seats: 12 },
  { name: rightToLeftName, role: 'Admin', seats: 3 },
  { name: longName, role: 'Member', seats: 0 },
];

function Design({ address }: { readonly address: ReturnType<typeof publicAddress> }) {
  return (
    <>
      <Banner tone="success" role="status">
        Saved. This banner is read as soon as the page has loaded.
      </Banner>
      <h1>Design</h1>
      <section class="card" aria-labelledby="buttons">
        <h2 id="buttons">Buttons</h2>
        <div class="actions">
          <Button kind="primary">Primary</Button>
          <Button kind="secondary">Secondary</Button>
          <Button kind="quiet">Quiet</Button>
          <ButtonLink kind="destructive" href="#buttons" text="Destructive" />
        </div>
        <div class="actions">
          <ButtonLink kind="secondary" href="#buttons" isSmall text="Small" />
          <ButtonLink kind="quiet" href="#buttons" isSmall text="Small and quiet" />
          <span class="confirm">
            <Button kind="destructive">Confirm</Button>
          </span>
        </div>
        <p>
          <Badge tone="success">Delivered</Badge> <Badge tone="pending">Pending</Badge>{' '}
          <Badge tone="neutral">Revoked</Badge> <Badge tone="error">Failed</Badge>
        </p>
        <p>
          See <a href="#buttons">the buttons</a> and <code>code</code>.{' '}
          <Avatar person={{ id: 3, name: 'Dana Kim', avatar: '' }} address={address} />
        </p>
      </section>
      <Banner tone="warning">Copy it now. You won’t see it again.</Banner>
      <Banner tone="error">
        The last 3 deliveries failed. <a href="#lists">See why</a>
      </Banner>
      <section class="card" aria-labelledby="fields">
        <h2 id="fields">Fields</h2>
        <form>
          <Field name="text" label="Text" autocomplete="off" value={longName} help="Help for the field." />
          <Field name="wrong" label="With a problem" autocomplete="off" problem="Enter a URL" />
          <Field name="fixed" label="Read only" autocomplete="off" value="dana@example.test" readOnly />
          <Field name="time" label="Time" type="datetime-local" autocomplete="off" value="2026-11-20T18:00" />
          <Select name="choice" label="Choice" choices={[{ value: '1', text: 'One' }]} value="1" />
          <TextArea name="lines" label="Lines" rows={3} value={rightToLeftName} />
          <Checkbox name="ticked" label="Ticked" checked />
          <Checkbox name="empty" label="Empty" checked={false} />
        </form>
        <details>
          <summary>More</summary>
          <p>Details</p>
        </details>
        <CopyText id="copied" label="Access key" text="123456789012345678901234" />
        <CopyText id="address" label="Address" text={longAddress} />
        <CopyText id="command" label="Command" text={`curl https://example.test/${longName}`} isLong />
      </section>
      <section aria-labelledby="lists">
        <h2 class="list-title" id="lists">
          Lists
        </h2>
        <Filters
          label="People to show"
          chosen="all"
          choices={[
            { name: 'all', title: 'All', href: '#lists' },
            { name: 'owners', title: 'Owners', href: '#lists' },
          ]}
        />
        <label>
          <input type="checkbox" id="listed" checked /> A box of a list
        </label>
        <DataTable
          caption="People"
          columns={[
            {
              title: 'Person',
              cell: ({ name }) => (
                <a href="#lists">
                  <bdi>{name}</bdi>
                </a>
              ),
            },
            { title: 'Role', cell: ({ role }) => role, isShort: true },
            { title: 'Seats', cell: ({ seats }) => seats, isNumber: true },
          ]}
          rows={people}
        />
        <Pagination current={2} total={3} />
        <Empty next={{ href: '#buttons', text: 'Invite someone' }}>No invitations yet.</Empty>
      </section>
    </>
  );
}
