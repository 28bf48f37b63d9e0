import type { Operation, Parameter } from './read-operations.js';

/** The languages of the samples, in order. */
export const languages = [
  { id: 'curl', title: 'curl' },
  { id: 'javascript', title: 'JavaScript' },
  { id: 'python', title: 'Python' },
] as const;

export type Language = (typeof languages)[number]['id'];

/** Whether the example of an operation has the parameter. Without these two, that of an export would show little. */
export function isShown({ id }: Pick<Operation, 'id'>, { name, isRequired }: Parameter): boolean {
  return isRequired || (id === 'exportMeetings' && ['column[]', 'reporting_days'].includes(name));
}

type Values = ReturnType<typeof exampleValues>;

/** The values with which an operation is shown and tried: what it requires, with the examples of the document. */
export function exampleValues(operation: Operation) {
  const parameters = operation.parameters.filter((parameter) => isShown(operation, parameter));
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const query = inQuery.flatMap((parameter) => textsOf(parameter).map((text) => [parameter.name, text]));
  return {
    path: Object.fromEntries(inPath.map((parameter) => [parameter.name, textsOf(parameter)[0] ?? ''])),
    query: new URLSearchParams(query),
    /** Null: no body is sent. */
    body: operation.body?.examples[0]?.value ?? null,
  };
}

/** The example of a parameter. A list has several. */
export function textsOf({ example }: Pick<Parameter, 'example'>): readonly string[] {
  return (Array.isArray(example) ? example : [example]).filter((value) => value !== undefined).map(String);
}

/** A request of the operation in each language. `api` is the address of the API. */
export function samplesOf(operation: Operation, api: string): Readonly<Record<Language, string>> {
  const values = exampleValues(operation);
  return {
    curl: curl(operation, values, api),
    javascript: javaScript(operation, values, api),
    python: python(operation, values, api),
  };
}

function filled(path: string, values: Values): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values.path[name] ?? ''));
}

function curl({ method, path, needsToken }: Operation, values: Values, api: string): string {
  const query = [...values.query].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const url = `${api}${filled(path, values)}${query === '' ? '' : `?${query}`}`;
  const parts = [
    `curl -sS${query.includes('[') ? ' -g' : ''}${method === 'GET' ? '' : ` -X ${method}`} "${url}"`,
    ...(needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(values.body === null
      ? []
      : [
          "-H 'Content-Type: application/json'",
          `-d '${JSON.stringify(values.body).replaceAll("'", String.raw`'\''`)}'`,
        ]),
  ];
  return parts.join(' \\\n  ');
}

const CLIENT = '@rollcall/contracts/client';

/** With the client, which gets the token itself. */
function javaScript({ id, method, path, needsToken }: Operation, values: Values, api: string): string {
  const client = `import { env } from 'node:process';
import { createClient } from ${literal(CLIENT)};

const rollcall = createClient({ baseUrl: '${api}', accessKey: env.ACCESS_KEY });
`;
  if (id === 'authenticate')
    return `${client}// It gets a token with the first request, and a new one when that has expired.\n`;
  if (!needsToken)
    return `const answer = await fetch('${api}${filled(path, values)}');\nconsole.log(await answer.json());\n`;
  const { query } = values;
  const textsIn = (name: string) => (name.endsWith('[]') ? query.getAll(name) : query.get(name));
  const named = [...query.keys()].map((name) => [name, textsIn(name)]);
  const parameters = {
    ...(Object.keys(values.path).length > 0 && { path: values.path }),
    ...(named.length > 0 && { query: Object.fromEntries(named) }),
  };
  const init = {
    ...(Object.keys(parameters).length > 0 && { params: parameters }),
    ...(values.body !== null && { body: values.body }),
  };
  return `${client}const answer = await rollcall.${method.toLowerCase()}('${path}', ${literal(init)});
console.log(answer);
`;
}

/** A value as JavaScript writes it, a property to a line. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, indent)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const lines = Object.entries(value).map(([name, item]) => {
    const key = /^[a-z_]\w*$/i.test(name) ? name : literal(name);
    return `${indent}  ${key}: ${literal(item, `${indent}  `)},`;
  });
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${indent}}`;
}

/** With the standard library alone. */
function python({ method, path, needsToken }: Operation, values: Values, api: string): string {
  const lines = ['import json, os, urllib.parse, urllib.request', ''];
  const query = [...values.query].map((pair) => `(${pair.map((text) => JSON.stringify(text)).join(', ')})`);
  if (query.length > 0) lines.push(`query = urllib.parse.urlencode([${query.join(', ')}])`);
  const url = `"${api}${filled(path, values)}"${query.length > 0 ? ' + "?" + query' : ''}`;
  lines.push('request = urllib.request.Request(', `    ${url},`, `    method="${method}",`);
  const headers = [
    ...(needsToken ? ['"Authorization": "Bearer " + os.environ["TOKEN"]'] : []),
    ...(values.body === null ? [] : ['"Content-Type": "application/json"']),
  ];
  if (headers.length > 0) lines.push(`    headers={${headers.join(', ')}},`);
  if (values.body !== null) lines.push(`    data=json.dumps(${pythonLiteral(values.body)}).encode(),`);
  lines.push(')', 'with urllib.request.urlopen(request) as answer:', '    print(json.load(answer))', '');
  return lines.join('\n');
}

function pythonLiteral(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([name, item]) => `${JSON.stringify(name)}: ${pythonLiteral(item)}`,
  );
  return `{${entries.join(', ')}}`;
}
