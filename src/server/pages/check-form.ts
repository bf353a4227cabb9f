import type { FastifyRequest } from 'fastify'
import type { Invalid } from '../../shared/wire/boot.ts'
import type { PageAction } from '../build-output/module-exports.ts'
import type { FormMessages } from '../errors/http-error.ts'
import { type FormRefusal, nameOption } from '../forms/limits.ts'
import { FORMATS, type Format } from '../http/formats.ts'
import { type ValidatedFields, validateFields, writeFieldName } from '../schemas/form-object.ts'
import { groupIssues, hideSecrets, type Issue, toIssues, typedValues } from '../schemas/issues.ts'
import { type PageSchema, validate } from '../schemas/page-schemas.ts'

/** A form that was not accepted: by the schema, by the action, or because of its size. */
export interface RefusedForm {
  status: number
  issues: readonly Issue[]
  form: FormData
  /** The reason in the log. */
  reason: string
}

export type CheckedForm = { isValid: true; value: unknown } | { isValid: false; refused: RefusedForm }

const UNPROCESSABLE = 422
const NOT_ACCEPTED = 'the form was not accepted'

/** Validates a form, or any other body. Rejects with what the schema throws. */
export async function checkForm(schema: PageSchema, form: FormData, request: FastifyRequest): Promise<CheckedForm> {
  const result = hasOtherBody(request) ? await validateBody(schema, request) : await validateFields(schema, form)
  if (result.isValid) return result
  const issues = hideSecrets(result.issues, form)
  return { isValid: false, refused: { status: UNPROCESSABLE, issues, form, reason: NOT_ACCEPTED } }
}

async function validateBody(schema: PageSchema, { body }: FastifyRequest): Promise<ValidatedFields> {
  const result = await validate(schema, body)
  return result.isValid ? result : { isValid: false, issues: toIssues(result.issues, writeFieldName) }
}

/** Returns whether a request has a body that is not a form: JSON, or what a parser of the site has made of it. */
export function hasOtherBody({ body }: FastifyRequest): boolean {
  return body !== undefined && body !== null && !(body instanceof FormData)
}

/** Returns the form for which an action has called `invalidForm`. */
export function refuseForm(messages: FormMessages, form: FormData): RefusedForm {
  const issues = Object.entries(messages).flatMap(([path, of]) => [of].flat().map((message) => ({ path, message })))
  return { status: UNPROCESSABLE, issues, form, reason: NOT_ACCEPTED }
}

/** Returns whether a page shows what is wrong with its form, in the format of the response. */
export function showsInvalid(action: PageAction | null | undefined, format: Format): boolean {
  return Boolean(action?.form) && !FORMATS[format].isData
}

/** Returns the form that exceeds a limit, with a message for each text that was cut off. */
export function refuseSize({ error, cutNames, isIncomplete }: FormRefusal, form: FormData): RefusedForm {
  const ofForm = isIncomplete ? [error.message, INCOMPLETE] : [error.message]
  const issues = [
    ...ofForm.map((message) => ({ path: '', message })),
    ...cutNames.map((name) => ({ path: name.replace(/\[]$/, ''), message: CUT })),
  ]
  return { status: error.statusCode, issues, form, reason: `${error.message}${nameOption(error)}` }
}

// The messages are true for both forms that the visitor may see: the one in the response, which has only what has been
// received, and with JavaScript the one that has been sent, which still has everything.
const CUT = 'This text is too long. Only its beginning has been received.'
const INCOMPLETE = 'Some fields have not been received.'

/** Returns the prop `invalid` of a page. */
export function createInvalid({ issues, form }: RefusedForm): Invalid {
  return { issues: groupIssues(issues), values: typedValues(form) }
}
