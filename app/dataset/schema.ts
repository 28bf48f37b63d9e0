import { createRequire } from 'node:module';
import { datasetSchema } from '@rollcall/contracts';
import { emailProblem } from '@rollcall/core/rules';
import type { DatasetError, DatasetKind } from '@rollcall/sql/maintenance';
import type { Ajv2020, ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { allowedForms } from './allowed-forms.js';
import { invalidField, type Position } from './invalid-field.js';

/** The names of the schema's definitions of records. */
export type Definition = DatasetKind | `${DatasetKind}_removed`;

const requireHere = createRequire(import.meta.url);

/** The formats of the schema. */
export const formats = {
  int64: true,
  'date-time': isTimestamp,
  uri: fullFormats.uri,
  uuid: fullFormats.uuid,
  // The same rule as everywhere, so that imported users can be found and can sign in.
  email: (text: string) => emailProblem('email', text) === null,
} as const;

let known: Ajv2020 | null = null;

/** The exact check of a definition. Compiling it takes longer than checking a few thousand records. */
export function exactCheck(definition: Definition): ValidateFunction {
  known ??= createCompiler();
  const check = known.getSchema(`dataset#/$defs/${definition}`);
  if (check === undefined) throw new Error(`the schema has no ${definition}`);
  return check as ValidateFunction;
}

/** Compiles a definition, such as `dataset#/$defs/user`, when it is first used. */
export function createCompiler(options: Options = {}): Ajv2020 {
  const { Ajv2020 }: typeof import('ajv/dist/2020.js') = requireHere('ajv/dist/2020.js');
  // A test has checked the schema. Checking it takes as long as compiling it.
  const ajv = new Ajv2020({ strict: false, validateSchema: false, formats, ...options });
  return ajv.addSchema(datasetSchema(), 'dataset');
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
