import type { ApiCall } from '@rollcall/core';
import type { Request } from 'express';
import { BackLink, Badge, Breakable, type Column, Empty, Filters, Stack } from '../design/components.js';
import { Select } from '../design/form.js';
import { ListRows, SearchForm } from '../design/list.js';
import { Timestamp } from '../design/times.js';
import { memberPage } from '../page.js';
import { paths, withQuery } from '../paths.js';

export const listApiCalls = memberPage({
  path: paths.apiCalls(':id'),
  async get(visit) {
    const { core, organization, zone, request } = visit;
    const parameters = parametersIn(request);
    const { state, ...asked } = parameters;
    const onlyFailed = state !== undefined;
    const { page } = request.query;
    const found = await core.listApiCalls({ organization, onlyFailed, page, ...asked });
    const path = paths.apiCalls(organization.id);
    const columns: readonly Column<ApiCall>[] = [
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
      { title: 'Answer', cell: Answer },
      { title: 'Request ID', cell: ({ requestId }) => <bdi class="id">{requestId}</bdi> },
      {
        title: 'Milliseconds',
        cell: ({ milliseconds }) => milliseconds.toLocaleString('en'),
        isNumber: true,
      },
    ];
    const isUnused = found.operations.length === 0;
    visit.show(
      { title: `API calls of ${organization.name}` },
      <BackLink href={paths.settings(organization.id)}>Settings</BackLink>,
      <hgroup>
        <h1>API calls</h1>
        <p>
          The last 200 calls with your access key or its tokens, newest first. A new call is listed after a
          second or two. Bodies and the values of parameters are not kept.
        </p>
      </hgroup>,
      !isUnused && <Controls {...{ path, parameters }} operations={found.operations} />,
      <ListRows
        {...{ found, zone, parameters, columns }}
        caption="Calls of the API, newest first"
        empty={
          isUnused ? (
            <Empty next={{ href: paths.guide, text: 'Read the guide' }}>
              No calls yet. The guide shows how to make the first one.
            </Empty>
          ) : (
            <Empty next={{ href: path, text: 'Show all calls' }}>No calls match.</Empty>
          )
        }
      />,
    );
  },
});

/** What the address asks for. */
function parametersIn({ query: { state, operation } }: Request) {
  return {
    ...(state === 'failed' && { state }),
    ...(typeof operation === 'string' && operation !== '' && { operation }),
  };
}

interface ControlsProps {
  readonly path: string;
  readonly parameters: ReturnType<typeof parametersIn>;
  readonly operations: readonly string[];
}

function Controls({ path, parameters, operations }: ControlsProps) {
  const { state, ...others } = parameters;
  const { operation = '' } = others;
  const isListed = operation === '' || operations.includes(operation);
  const named = isListed ? operations : [...operations, operation];
  return (
    <>
      <SearchForm path={path} showAll={false}>
        {state !== undefined && <input type="hidden" name="state" value={state} />}
        <Select
          name="operation"
          label="Operation"
          choices={[{ value: '', text: 'Any' }, ...named.map((value) => ({ value, text: value }))]}
          value={operation}
        />
      </SearchForm>
      <Filters
        label="Calls to show"
        chosen={state ?? 'all'}
        choices={[
          { name: 'all', title: 'All', href: withQuery(path, others) },
          { name: 'failed', title: 'Failed', href: withQuery(path, { state: 'failed', ...others }) },
        ]}
      />
    </>
  );
}

function Answer({ status, errorCode, errorText }: ApiCall) {
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
