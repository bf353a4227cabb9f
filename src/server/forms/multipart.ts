import { once, setMaxListeners } from 'node:events'
import { createWriteStream, openAsBlob } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { HttpError } from '../thrown/http-error.ts'
import { createMalformed, createTooLarge, type FormLimits } from './limits.ts'
import type { TemporaryFiles } from './upload-files.ts'

type Entry = [name: string, value: string | Promise<File>]

/** A form that has been read. */
export interface ReadForm {
  form: FormData
  /** The error for files that exceed a limit, if the form was read nevertheless. `form` then has no files. */
  refusal: HttpError | null
}

/**
 * Reads a multipart form as it arrives: texts into memory, files to the disk. Rejects with an HttpError if the form is
 * malformed or exceeds a limit. The rest of the body is then dropped.
 *
 * @param keepsTexts Whether a form whose files exceed a limit is read to its end: without its files, so that the page can
 *   show the texts again. It rejects if the body is larger than all files may be together.
 */
export async function readMultipart(
  payload: Readable,
  headers: IncomingHttpHeaders,
  limits: FormLimits,
  files: TemporaryFiles,
  keepsTexts: boolean,
): Promise<ReadForm> {
  const stop = new AbortController()
  // Each file adds a listener.
  setMaxListeners(0, stop.signal)
  const entries: Entry[] = []
  const refused: Refused = { error: null }
  try {
    const parser = createParser(headers, limits)
    await new Promise<void>((resolve, reject) => {
      const refuseFile = (error: HttpError) => {
        refused.error ??= error
        if (!keepsTexts) reject(error)
      }
      collect(parser, entries, limits, files, stop.signal, { refuse: reject, refuseFile, refused })
      parser.on('finish', resolve).on('error', (error) => reject(createMalformed(error)))
      stop.signal.addEventListener('abort', () => payload.unpipe(parser))
      whenCutShort(payload, () => reject(createMalformed(new Error('The request ended too early.'))))
      payload.pipe(parser)
      if (keepsTexts) limitTotal(payload, limits, () => refused.error && reject(refused.error))
    })
    const form = new FormData()
    for (const [name, value] of entries) {
      const read = await value
      if (typeof read === 'string' || refused.error === null) form.append(name, read)
    }
    return { form, refusal: refused.error }
  } catch (error) {
    stop.abort()
    payload.resume()
    await Promise.allSettled(entries.map(([, value]) => value))
    throw error
  }
}

/** Calls `onChunk` with each chunk after the body has become larger than its files may be together. */
function limitTotal(payload: Readable, { bodyLimit, maxFiles, maxFileBytes }: FormLimits, onChunk: () => void) {
  let total = 0
  payload.on('data', (chunk: Buffer) => {
    total += chunk.length
    if (total > bodyLimit + maxFiles * maxFileBytes) onChunk()
  })
}

/** The first limit of files that the form exceeds. */
interface Refused {
  error: HttpError | null
}

interface Refusals {
  /** Ends the form. */
  refuse(error: unknown): void
  /** Ends the form, or drops its files. */
  refuseFile(error: HttpError): void
  refused: Readonly<Refused>
}

function createParser(headers: IncomingHttpHeaders, { bodyLimit, maxFileBytes }: FormLimits): BusboyInstance {
  try {
    return new Busboy({
      // Busboy's type requires the content type. Fastify has chosen this parser by it, so it is set.
      headers: headers as BusboyHeaders,
      limits: { fieldSize: bodyLimit, fileSize: maxFileBytes },
      // As in browsers, a part with a file name is a file, whatever its type.
      isPartAFile: (_name, _type, fileName) => fileName !== undefined,
    })
  } catch (error) {
    throw createMalformed(error)
  }
}

function collect(
  parser: BusboyInstance,
  entries: Entry[],
  limits: FormLimits,
  files: TemporaryFiles,
  signal: AbortSignal,
  { refuse, refuseFile, refused }: Refusals,
) {
  const counts = { fields: 0, files: 0, textBytes: 0 }

  parser.on('field', (name: string | undefined, value, _isNameCut, isCut) => {
    if (name === undefined) return refuse(createMalformed())
    if (++counts.fields > limits.maxFields) return refuse(createTooLarge('forms.maxFields', limits))
    counts.textBytes += Buffer.byteLength(name) + Buffer.byteLength(value)
    if (isCut || counts.textBytes > limits.bodyLimit) return refuse(createTooLarge('bodyLimit', limits))
    entries.push([decodeName(name), value])
  })

  parser.on('file', (name: string | undefined, stream, fileName, _encoding, type) => {
    // Busboy still emits the parts that follow a refused one in the same chunk.
    if (signal.aborted || refused.error) return void stream.on('error', () => {}).resume()
    stream.on('limit', () => refuseFile(createTooLarge('forms.maxFileBytes', limits)))
    const reserve = (bytes: number) => {
      if (refused.error) return false
      const isReserved = files.reserve(bytes)
      if (!isReserved) refuseFile(createTooLarge('forms.maxUploadBytes', limits))
      return isReserved
    }
    const file = store(stream, decodeName(fileName), type, files, reserve, signal)
    file.catch(refuse)
    entries.push([decodeName(name ?? ''), file])
    if (name === undefined) refuse(createMalformed())
    // An empty file input sends a file without a name. It counts as a field.
    else if (fileName === '' && ++counts.fields > limits.maxFields) refuse(createTooLarge('forms.maxFields', limits))
    else if (fileName !== '' && ++counts.files > limits.maxFiles) refuseFile(createTooLarge('forms.maxFiles', limits))
  })
}

/** Writes a file to the disk, as long as `reserve` returns true for its bytes. An empty file stays in memory. */
async function store(
  stream: Readable,
  name: string,
  type: string,
  files: TemporaryFiles,
  reserve: (bytes: number) => boolean,
  signal: AbortSignal,
): Promise<File> {
  let broken: unknown
  stream.on('error', (error) => {
    broken = error
  })
  try {
    await once(stream, 'readable', { signal })
    if (stream.readableLength === 0) {
      stream.resume()
      return new File([], name, { type })
    }
    if (name === '') throw createMalformed()
    const path = await files.create()
    await pipeline(stream, (chunks) => keepReserved(chunks, reserve), createWriteStream(path, { mode: 0o600 }), {
      signal,
    })
    return new File([await openAsBlob(path)], name, { type })
  } catch (error) {
    throw error === broken && !(error instanceof HttpError) ? createMalformed(error) : error
  }
}

async function* keepReserved(chunks: AsyncIterable<Buffer>, reserve: (bytes: number) => boolean) {
  for await (const chunk of chunks) if (reserve(chunk.length)) yield chunk
}

function whenCutShort(payload: Readable, onCut: () => void) {
  const check = () => {
    if (!payload.readableEnded) onCut()
  }
  if (payload.destroyed) check()
  else payload.once('error', onCut).once('close', check)
}

// Browsers write these codes for characters that would end the name
// (https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data).
function decodeName(name: string): string {
  return name.replace(/%0A|%0D|%22/gi, (code) => decodeURIComponent(code))
}
