import type { ApiCall } from '@rollcall/core';
import type { Request } from 'express';
import { BackLink, Badge, Breakable, type Column, Empty, Filters, Stack } from '../design/components.js';
import { Select } from '../design/form.js';
import { ListRows, SearchForm } from '../design/list.js';
import { Timestamp, type TimeZone } from '../design/times.js';
import { memberPage } from '../page.js';
import { paths, withQuery } from '../paths.js';

export const listApiCalls = memberPage({
  path: paths.apiCalls(':id'),
  section: 'settings',
  async get(visit) {
    const { core, organization, zone, request } = visit;
    const query = queryIn(request);
    const { onlyFailed, operation } = query;
    const found = await core.listApiCalls({
      ...{ organization, onlyFailed, page: request.query.page },
      ...(operation !== '' && { operation }),
    });
    const path = paths.apiCalls(organization.id);
    const isUnused = found.operations.length === 0;
    visit.show({
      title: `API calls of ${organization.name}`,
      body: (
        <>
          <BackLink href={paths.settings(organization.id)}>Settings</BackLink>
          <hgroup>
            <h1>API calls</h1>
            <p>
              The last 200 calls with your access key or its tokens, newest first. A new call is listed after
              a second or two. Bodies and the values of parameters are not kept.
            </p>
          </hgroup>
          {!isUnused && <Controls {...{ path, query }} operations={found.operations} />}
          <ListRows
            {...{ found, zone, parameters: parametersOf(query) }}
            caption="Calls of the API, newest first"
            columns={columnsFor(zone)}
            empty={
              isUnused ? (
                <Empty next={{ href: paths.guide, text: 'Read the guide' }}>
                  No calls yet. The guide shows how to make the first one.
                </Empty>
              ) : (
                <Empty next={{ href: path, text: 'Show all calls' }}>No calls match.</Empty>
              )
            }
          />
        </>
      ),
    });
  },
});

interface CallQuery {
  readonly onlyFailed: boolean;
  /** Empty: any. */
  readonly operation: string;
}

function queryIn({ query: { state, operation } }: Request): CallQuery {
  return { onlyFailed: state === 'failed', operation: typeof operation === 'string' ? operation : '' };
}

function parametersOf({ onlyFailed, operation }: CallQuery): Record<string, string> {
  return { ...(onlyFailed && { state: 'failed' }), ...(operation !== '' && { operation }) };
}

interface ControlsProps {
  readonly path: string;
  readonly query: CallQuery;
  readonly operations: readonly string[];
}

function Controls({ path, query, operations }: ControlsProps) {
  const { onlyFailed, operation } = query;
  const linkTo = (failed: boolean) => withQuery(path, parametersOf({ ...query, onlyFailed: failed }));
  const isListed = operation === '' || operations.includes(operation);
  const named = isListed ? operations : [...operations, operation];
  return (
    <>
      <SearchForm path={path} showAll={false}>
        {onlyFailed && <input type="hidden" name="state" value="failed" />}
        <Select
          name="operation"
          label="Operation"
          choices={[{ value: '', text: 'Any' }, ...named.map((value) => ({ value, text: value }))]}
          value={operation}
        />
      </SearchForm>
      <Filters
        label="Calls to show"
        chosen={onlyFailed ? 'failed' : 'all'}
        choices={[
          { name: 'all', title: 'All', href: linkTo(false) },
          { name: 'failed', title: 'Failed', href: linkTo(true) },
        ]}
      />
    </>
  );
}

function columnsFor(zone: TimeZone): readonly Column<ApiCall>[] {
  return [
    { title: 'Time', cell: ({ at }) => <Timestamp at={at} zone={zone} hasSeconds />, isShort: true },
    {
      title: 'Call',
      cell: ({ method, path, operation }) => (
        <Stack>
          <code>
            {method} <Breakable text={path} />
          </code>
          <span class="secondary-text">{operation}</span>
        </Stack>
      ),
    },
    { title: 'Answer', cell: (call) => <Answer call={call} /> },
    { title: 'Request ID', cell: ({ requestId }) => <bdi class="id">{requestId}</bdi> },
    {
      title: 'Milliseconds',
      cell: ({ milliseconds }) => milliseconds.toLocaleString('en'),
      isNumber: true,
    },
  ];
}

function Answer({ call: { status, errorCode, errorText } }: { readonly call: ApiCall }) {
  if (status === null) return <Badge tone="error">Cut off</Badge>;
  return (
    <Stack>
      <Badge tone={status >= 400 ? 'error' : 'success'}>{String(status)}</Badge>
      {errorText !== null && <span>{errorText}</span>}
      {errorCode !== null && (
        <a class="secondary-text" href={`${paths.docs}#error-${errorCode}`}>
          {errorCode}
        </a>
      )}
    </Stack>
  );
}
