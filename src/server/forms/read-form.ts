import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ReadForm } from './kept-texts.ts'
import type { FormLimits } from './limits.ts'
import { readMultipart } from './multipart.ts'
import type { TemporaryFiles } from './upload-files.ts'
import { readUrlencoded } from './urlencoded.ts'

const URLENCODED = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data'

/** A multipart body that has not been read yet. Hooks can refuse the request before its files reach the disk. */
class UnreadForm {
  readonly payload: Readable
  constructor(payload: Readable) {
    this.payload = payload
  }
}

/** An urlencoded body that exceeds a limit. Hooks do not see its fields: some are missing. */
class OversizedForm {
  readonly read: ReadForm
  constructor(read: ReadForm) {
    this.read = read
  }
}

/**
 * Lets the routes of an instance accept forms. Replaces the parsers that the instance has inherited for them.
 *
 * @param keepsTexts Returns whether an urlencoded form that exceeds a limit is read to its end: see `readUrlencoded`.
 */
export function addFormParsers(
  scope: FastifyInstance,
  limits: FormLimits,
  keepsTexts: (request: FastifyRequest) => boolean,
) {
  scope.removeContentTypeParser([URLENCODED, MULTIPART])
  scope.addContentTypeParser(URLENCODED, async (request: FastifyRequest, payload: Readable) => {
    const read = await readUrlencoded(payload, limits, keepsTexts(request))
    return read.refusal ? new OversizedForm(read) : read.form
  })
  scope.addContentTypeParser(MULTIPART, async (_request: FastifyRequest, payload: Readable) => new UnreadForm(payload))
}

/**
 * Returns the form of a request; an empty one for any other body, or none. It then also is `request.body`. Rejects with
 * an HttpError if the form is malformed or exceeds a limit.
 *
 * @param keepsTexts Whether a multipart form that exceeds a limit is read to its end: see `readMultipart`.
 */
export async function readForm(
  request: FastifyRequest,
  limits: FormLimits,
  files: TemporaryFiles,
  keepsTexts: boolean,
): Promise<ReadForm> {
  const { body, headers } = request
  if (body instanceof FormData) return { form: body, refusal: null }
  if (!(body instanceof UnreadForm || body instanceof OversizedForm)) return { form: new FormData(), refusal: null }
  const read =
    body instanceof OversizedForm
      ? body.read
      : await readMultipart({ payload: body.payload, headers }, limits, files, keepsTexts)
  request.body = read.form
  return read
}
