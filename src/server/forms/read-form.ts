import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type FormLimits, KeptTexts, limitTotal, type ReadForm, whenCutShort } from './limits.ts'
import { readMultipart, type TemporaryFiles } from './multipart.ts'

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

/** Bytes of the body that one byte of a text takes at most: `%20`. */
const ENCODED_BYTES = 3

/**
 * Reads an urlencoded form as it arrives. Rejects with an HttpError if it exceeds a limit.
 *
 * @param keepsTexts Whether a form that exceeds a limit is read to its end, so that the page can show its texts again. It
 *   rejects if the body is larger than all texts and files of a form may be together.
 */
function readUrlencoded(payload: Readable, limits: FormLimits, keepsTexts: boolean): Promise<ReadForm> {
  return new Promise((resolve, reject) => {
    const form = new FormData()
    const texts = new KeptTexts(limits, (error) => keepsTexts || stop(error))
    const fields = createSplitter(ENCODED_BYTES * limits.bodyLimit, (raw, isCut) => {
      texts.countField()
      addField(form, raw, isCut, texts)
    })

    function onData(chunk: Buffer | string) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
      texts.countBytes(bytes.length)
      if (texts.isFull) texts.dropRest()
      else fields.write(bytes)
    }

    function stop(error: Error) {
      payload.off('data', onData).resume()
      reject(error)
    }

    payload.on('data', onData).once('end', () => {
      fields.end()
      resolve({ form, refusal: texts.refusal })
    })
    limitTotal(payload, limits, texts, stop)
    whenCutShort(payload, reject)
  })
}

function addField(form: FormData, raw: string, isCut: boolean, texts: KeptTexts) {
  // Without an incomplete last character.
  const whole = isCut ? raw.replace(/%[\da-f]?$/i, '') : raw
  // The end of a name is missing too.
  if (isCut && !whole.includes('=')) return texts.dropRest()
  // The parser removes one question mark at the beginning, so it gets one that is not part of the form.
  for (const [name, value] of new URLSearchParams(`?${whole}`)) {
    const kept = texts.keep(name, isCut ? value.replace(/\uFFFD$/, '') : value, isCut)
    if (kept !== null) form.append(name, kept)
  }
}

const AMPERSAND = 0x26

/**
 * Splits a body at its ampersands. An empty part between two ampersands is not a field. Loops over the bytes, because a
 * call of `indexOf` for each ampersand takes too long for a body that has nothing else.
 */
function createSplitter(maxBytes: number, onField: (raw: string, isCut: boolean) => void) {
  let parts: Buffer[] = []
  let keptBytes = 0
  let isCut = false

  function add(part: Buffer) {
    const kept = part.subarray(0, maxBytes - keptBytes)
    if (kept.length > 0) parts.push(kept)
    keptBytes += kept.length
    isCut ||= kept.length < part.length
  }

  function end() {
    if (keptBytes === 0) return
    const raw = Buffer.concat(parts).toString()
    const wasCut = isCut
    parts = []
    keptBytes = 0
    isCut = false
    onField(raw, wasCut)
  }

  return {
    write(chunk: Buffer) {
      let start = 0
      for (let index = 0; index < chunk.length; index++) {
        if (chunk[index] !== AMPERSAND) continue
        if (index > start) add(chunk.subarray(start, index))
        end()
        start = index + 1
      }
      add(chunk.subarray(start))
    },
    end,
  }
}
