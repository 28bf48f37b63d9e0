import { createRequire } from 'node:module';
import { datasetSchema } from '@rollcall/contracts';
import { emailProblem } from '@rollcall/core/rules';
import type { DatasetError, DatasetKind } from '@rollcall/sql/maintenance';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { allowedForms } from './allowed-forms.js';
import { invalidField, type Position } from './invalid-field.js';

type CheckOf = (definition: DatasetKind | `${DatasetKind}_removed`) => ValidateFunction;

const requireHere = createRequire(import.meta.url);

let known: CheckOf | null = null;

/**
 * The checks of the schema's definitions. Each is compiled when first needed: most datasets need half of them. Compiling
 * takes longer than checking a few thousand records, so a process does it once.
 */
export function compileSchema(): CheckOf {
  known ??= compile();
  return known;
}

function compile(): CheckOf {
  const schema = datasetSchema();
  const { Ajv2020 }: typeof import('ajv/dist/2020.js') = requireHere('ajv/dist/2020.js');
  // A test has checked the schema. Checking it takes as long as compiling it.
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  ajv.addFormat('int64', true);
  ajv.addFormat('date-time', isTimestamp);
  ajv.addFormat('uri', fullFormats.uri);
  ajv.addFormat('uuid', fullFormats.uuid);
  // The same rule as everywhere, so that imported users can be found and can sign in.
  ajv.addFormat('email', (text: string) => emailProblem('email', text) === null);
  ajv.addSchema(schema);
  const compiled = new Map<string, ValidateFunction>();
  return (definition) => {
    const before = compiled.get(definition);
    if (before !== undefined) return before;
    const check = ajv.compile({ $ref: `${schema.$id}#/$defs/${definition}` });
    compiled.set(definition, check);
    return check;
  };
}

/** Accepts most valid timestamps, and no invalid one. The full check takes ten times as long. */
const USUAL_TIMESTAMP =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z$/;
const { validate: isDateTime } = fullFormats['date-time'] as { readonly validate: (text: string) => boolean };

function isTimestamp(text: string): boolean {
  return USUAL_TIMESTAMP.test(text) || isDateTime(text);
}

/** Explains the first error of a check to the operator. */
export function schemaError(at: Position, kind: DatasetKind, error: ErrorObject | undefined): DatasetError {
  if (error === undefined) return invalidField(at, null, `is not a valid ${kind}`);
  const { keyword, params, instancePath } = error;
  const field = instancePath.split('/')[1] ?? null;
  if (keyword === 'required') {
    // One of two alternatives: the schema names them one by one.
    const isEnd = kind === 'meeting' && ['end_time', 'duration'].includes(params.missingProperty);
    return invalidField(
      at,
      params.missingProperty,
      isEnd ? 'end_time or duration is required' : 'is required',
    );
  }
  if (keyword === 'additionalProperties') {
    return invalidField(at, params.additionalProperty, `is not a field of ${kind}`);
  }
  return invalidField(at, field, describe(error, field));
}

function withArticle(type: string): string {
  if (type === 'null') return 'null';
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** Null for a keyword that is not a limit. */
function limitText(keyword: string, limit: number): string | null {
  if (keyword === 'minimum') return `must be at least ${limit}`;
  if (keyword === 'maximum') return `must be at most ${limit}`;
  if (keyword === 'minLength' && limit === 1) return 'must not be empty';
  if (keyword === 'minLength') return `must have at least ${limit} characters`;
  if (keyword === 'maxLength') return `must have at most ${limit} characters`;
  return null;
}

function describe({ keyword, params, message }: ErrorObject, field: string | null): string {
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}`;
  if (keyword === 'const') return `must be ${JSON.stringify(params.allowedValue)}`;
  if (keyword === 'type') return `must be ${[params.type].flat().map(withArticle).join(' or ')}`;
  if (keyword === 'format' || keyword === 'pattern')
    return `must be ${(field === null ? undefined : allowedForms[field]) ?? params.format ?? 'in another form'}`;
  return limitText(keyword, params.limit) ?? message ?? 'is not allowed';
}
