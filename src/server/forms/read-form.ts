import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createTooLarge, type FormLimits } from './limits.ts'
import { type ReadForm, readMultipart } from './multipart.ts'
import type { TemporaryFiles } from './upload-files.ts'

const URLENCODED = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data'

/** A multipart body that has not been read yet. Hooks can refuse the request before its files reach the disk. */
class UnreadForm {
  readonly payload: Readable
  constructor(payload: Readable) {
    this.payload = payload
  }
}

/** Lets the routes of an instance accept forms. Replaces the parsers that the instance has inherited for them. */
export function addFormParsers(scope: FastifyInstance, limits: FormLimits) {
  scope.removeContentTypeParser([URLENCODED, MULTIPART])
  scope.addContentTypeParser(URLENCODED, { parseAs: 'string' }, async (_request: FastifyRequest, text: string) =>
    readUrlencoded(text, limits),
  )
  scope.addContentTypeParser(MULTIPART, async (_request: FastifyRequest, payload: Readable) => new UnreadForm(payload))
}

/**
 * Returns the form of a request; an empty one for any other body, or none. It then also is `request.body`. Rejects with
 * an HttpError if the form is malformed or exceeds a limit.
 *
 * @param keepsTexts Whether a form whose files exceed a limit is read to its end: see `readMultipart`.
 */
export async function readForm(
  request: FastifyRequest,
  limits: FormLimits,
  files: TemporaryFiles,
  keepsTexts: boolean,
): Promise<ReadForm> {
  const { body } = request
  if (body instanceof FormData) return { form: body, refusal: null }
  if (!(body instanceof UnreadForm)) return { form: new FormData(), refusal: null }
  const read = await readMultipart(body.payload, request.headers, limits, files, keepsTexts)
  request.body = read.form
  return read
}

function readUrlencoded(text: string, limits: FormLimits): FormData {
  requireFewFields(text, limits)
  const form = new FormData()
  // The parser removes one question mark at the beginning, so it gets one that is not part of the form.
  for (const [name, value] of new URLSearchParams(`?${text}`)) form.append(name, value)
  return form
}

/** Counts the fields before any of them is created. */
function requireFewFields(text: string, limits: FormLimits) {
  let count = 0
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('&', start)
    const next = end === -1 ? text.length : end
    // An empty part between two ampersands is not a field.
    if (next > start && ++count > limits.maxFields) throw createTooLarge('forms.maxFields', limits)
    start = next + 1
  }
}
