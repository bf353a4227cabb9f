import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createTooLarge, type FormLimits } from './limits.ts'
import { readMultipart } from './multipart.ts'
import type { TemporaryFiles } from './upload-files.ts'

const URLENCODED = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data'

/** A multipart body that nobody has read yet: hooks that refuse the request come before its files reach the disk. */
class UnreadForm {
  readonly payload: Readable
  constructor(payload: Readable) {
    this.payload = payload
  }
}

/** Lets an instance's routes take forms, in the place of the parsers that it has inherited for them. */
export function addFormParsers(scope: FastifyInstance, limits: FormLimits) {
  scope.removeContentTypeParser([URLENCODED, MULTIPART])
  scope.addContentTypeParser(URLENCODED, { parseAs: 'string' }, async (_request: FastifyRequest, text: string) =>
    readUrlencoded(text, limits),
  )
  scope.addContentTypeParser(MULTIPART, async (_request: FastifyRequest, payload: Readable) => new UnreadForm(payload))
}

/**
 * The form that a request has sent; an empty one when it has sent something else, or nothing. From then on it is also
 * `request.body`. Rejects with a refusal for what is not well formed or passes a limit.
 */
export async function readForm(request: FastifyRequest, limits: FormLimits, files: TemporaryFiles): Promise<FormData> {
  const { body } = request
  if (body instanceof FormData) return body
  if (!(body instanceof UnreadForm)) return new FormData()
  const form = await readMultipart(body.payload, request.headers, limits, files)
  request.body = form
  return form
}

function readUrlencoded(text: string, limits: FormLimits): FormData {
  requireFewFields(text, limits)
  const form = new FormData()
  // The URL standard's own parser of forms; it would take a question mark at the beginning away.
  for (const [name, value] of new URLSearchParams(`?${text}`)) {
    if (Buffer.byteLength(value) > limits.maxFieldBytes) throw createTooLarge('forms.maxFieldBytes', limits)
    form.append(name, value)
  }
  return form
}

// Before any of them is made.
function requireFewFields(text: string, limits: FormLimits) {
  let count = 0
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('&', start)
    const next = end === -1 ? text.length : end
    // Nothing between two ampersands is no field.
    if (next > start && ++count > limits.maxFields) throw createTooLarge('forms.maxFields', limits)
    start = next + 1
  }
}
