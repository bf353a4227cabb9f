import { once, setMaxListeners } from 'node:events'
import { createWriteStream, openAsBlob, type WriteStream } from 'node:fs'
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { createHydrantError } from '../errors/hydrant-error.ts'
import { isRunning } from '../util/is-running.ts'
import { REMOVE } from '../util/paths.ts'
import {
  createMalformed,
  type FormLimits,
  KeptTexts,
  limitTotal,
  type ReadForm,
  SURPLUS,
  whenCutShort,
} from './limits.ts'

type Entry = [name: string, value: string | Promise<File>]

/** A body that has not been read. */
interface MultipartBody {
  payload: Readable
  headers: IncomingHttpHeaders
}

/** A form that is being read. */
interface Reading {
  entries: Entry[]
  texts: KeptTexts
  limits: FormLimits
  files: TemporaryFiles
  /** Aborts when the form is refused. */
  signal: AbortSignal
  refuse(error: unknown): void
}

/**
 * Reads a multipart form as it arrives: texts into memory, files to the disk. Rejects with an HttpError if the form is
 * malformed or exceeds a limit. The rest of the body is then dropped.
 *
 * @param keepsTexts Whether a form that exceeds a limit is read to its end: without its files, so that the page can show
 *   the texts again. It rejects if the body is larger than all texts and files of a form may be together.
 */
export async function readMultipart(
  { payload, headers }: MultipartBody,
  limits: FormLimits,
  files: TemporaryFiles,
  keepsTexts: boolean,
): Promise<ReadForm> {
  const stop = new AbortController()
  // Each file adds a listener.
  setMaxListeners(0, stop.signal)
  const entries: Entry[] = []
  try {
    const parser = createParser(headers, limits)
    const texts = await new Promise<KeptTexts>((resolve, reject) => {
      const kept = new KeptTexts(limits, (error) => keepsTexts || reject(error))
      const reading: Reading = { entries, texts: kept, limits, files, signal: stop.signal, refuse: reject }
      collectTexts(parser, reading)
      collectFiles(parser, reading)
      parser.on('finish', () => resolve(kept)).on('error', (error) => reject(createMalformed(error)))
      stop.signal.addEventListener('abort', () => payload.unpipe(parser))
      whenCutShort(payload, reject)
      payload.pipe(parser)
      limitTotal(payload, limits, kept, reject)
    })
    const form = new FormData()
    for (const [name, value] of entries) {
      const read = await value
      if (typeof read === 'string' || !texts.isRefused) form.append(name, read)
    }
    return { form, refusal: texts.refusal }
  } catch (error) {
    stop.abort()
    payload.resume()
    await Promise.allSettled(entries.map(([, value]) => value))
    throw error
  }
}

function createParser(headers: IncomingHttpHeaders, limits: FormLimits): BusboyInstance {
  const { bodyLimit, maxFields, maxFiles, maxFileBytes } = limits
  try {
    return new Busboy({
      // Busboy's type requires the content type. Fastify has chosen this parser by it, so it is set.
      headers: headers as BusboyHeaders,
      limits: { fieldSize: bodyLimit, fileSize: maxFileBytes, parts: SURPLUS * (maxFields + maxFiles) },
      // As in browsers, a part with a file name is a file, whatever its type.
      isPartAFile: (_name, _type, fileName) => fileName !== undefined,
    })
  } catch (error) {
    throw createMalformed(error)
  }
}

function collectTexts(parser: BusboyInstance, { entries, texts, refuse }: Reading) {
  parser.on('field', (name: string | undefined, value, _isNameCut, isCut) => {
    if (name === undefined) return refuse(createMalformed())
    texts.countField()
    texts.countBytes(Buffer.byteLength(name) + Buffer.byteLength(value))
    const kept = texts.keep(decodeName(name), value, isCut)
    if (kept !== null) entries.push([decodeName(name), kept])
  })
  parser.on('partsLimit', () => texts.dropRest())
}

function collectFiles(parser: BusboyInstance, reading: Reading) {
  const { entries, texts, limits, files, signal, refuse } = reading
  let count = 0

  parser.on('file', (name: string | undefined, stream, fileName, _encoding, type) => {
    // Busboy still emits the parts that follow a refused one in the same chunk.
    if (signal.aborted || texts.isRefused) return void stream.on('error', () => {}).resume()
    stream.on('limit', () => texts.refuse('forms.maxFileBytes'))
    const reserve = (bytes: number) => {
      if (texts.isRefused) return false
      const isReserved = files.reserve(bytes)
      if (!isReserved) texts.refuse('forms.maxUploadBytes')
      return isReserved
    }
    const file = store(stream, { name: decodeName(fileName), type }, reserve, reading)
    file.catch(refuse)
    entries.push([decodeName(name ?? ''), file])
    if (name === undefined) refuse(createMalformed())
    // An empty file input sends a file without a name. It counts as a field.
    else if (fileName === '') texts.countField()
    else if (++count > limits.maxFiles) texts.refuse('forms.maxFiles')
  })
}

/** Writes a file to the disk, as long as `reserve` returns true for its bytes. An empty file stays in memory. */
async function store(
  stream: Readable,
  { name, type }: Pick<File, 'name' | 'type'>,
  reserve: (bytes: number) => boolean,
  { files, signal }: Pick<Reading, 'files' | 'signal'>,
): Promise<File> {
  let target: WriteStream | undefined
  let broken: unknown
  stream.on('error', (error) => {
    // `pipeline` destroys the stream with an error of the disk, too.
    if (!target?.errored) broken = error
  })
  try {
    await once(stream, 'readable', { signal })
    if (stream.readableLength === 0) {
      stream.resume()
      return new File([], name, { type })
    }
    if (name === '') throw createMalformed()
    const path = await files.create()
    target = createWriteStream(path, { mode: 0o600 })
    await pipeline(stream, (chunks) => keepReserved(chunks, reserve), target, { signal })
    return new File([await openAsBlob(path)], name, { type })
  } catch (error) {
    if (error === broken) throw createMalformed(error)
    throw isSystemError(error) ? createHydrantError('HYD_UPLOAD_UNWRITABLE', [tmpdir(), error.message], error) : error
  }
}

function isSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error
}

async function* keepReserved(chunks: AsyncIterable<Buffer>, reserve: (bytes: number) => boolean) {
  for await (const chunk of chunks) if (reserve(chunk.length)) yield chunk
}

// Browsers write these codes for characters that would end the name
// (https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data).
function decodeName(name: string): string {
  return name.replace(/%0A|%0D|%22/gi, (code) => decodeURIComponent(code))
}

/** The disk space that the files of all requests together may take. */
export type UploadSpace = ReturnType<typeof createUploadSpace>

export function createUploadSpace(maxBytes: number) {
  let freeBytes = maxBytes
  let cleanUp: Promise<void> | null = null
  return {
    /** Takes space. Returns false if there is not enough left. */
    take(bytes: number) {
      if (bytes > freeBytes) return false
      freeBytes -= bytes
      return true
    },
    /** Gives space back. */
    give(bytes: number) {
      freeBytes += bytes
    },
    /** Creates a folder. The first call removes the folders of ended processes, whose files are not counted. */
    async createFolder() {
      cleanUp ??= removeLeftFolders()
      await cleanUp
      return createUploadFolder()
    },
  }
}

/** The files of one request, in a folder that only this user can read. Call `remove` in the end. */
export class TemporaryFiles {
  #folder: Promise<string> | null = null
  #count = 0
  #space: UploadSpace
  #bytes = 0

  constructor(space: UploadSpace) {
    this.#space = space
  }

  /** Returns a path for a new file. */
  async create(): Promise<string> {
    this.#folder ??= this.#space.createFolder()
    return join(await this.#folder, String(++this.#count))
  }

  /** Reserves space for bytes before they are written. Returns false if there is not enough left. */
  reserve(bytes: number): boolean {
    const isTaken = this.#space.take(bytes)
    if (isTaken) this.#bytes += bytes
    return isTaken
  }

  /** Removes all files and gives their space back. Rejects if the system refuses. */
  async remove(): Promise<void> {
    const folder = this.#folder
    this.#folder = null
    try {
      // A folder that could not be created has failed the request already.
      const path = await folder?.catch(() => null)
      if (path) await rm(path, REMOVE)
    } finally {
      this.#space.give(this.#bytes)
      this.#bytes = 0
    }
  }
}

/** Creates a folder that only this user can read, with the number of this process in its name. */
function createUploadFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${prefix()}${process.pid}-`))
}

/** Removes the folders that processes of this host have left when they ended. Never rejects. */
async function removeLeftFolders(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => [])
  for (const name of names) {
    const pid = pidOf(name)
    if (pid === null) continue
    const folder = join(tmpdir(), name)
    // Another process may remove the same folder.
    if (await isLeft(folder, pid).catch(() => false)) await rm(folder, REMOVE).catch(() => {})
  }
}

// Containers that share the folder have the same process numbers, but their own host names.
function prefix(): string {
  return `hydrant-form-${encodeURIComponent(hostname())}-`
}

function pidOf(name: string): number | null {
  if (!name.startsWith(prefix())) return null
  const [, pid] = /^(\d+)-\w{6}$/.exec(name.slice(prefix().length)) ?? []
  return pid === undefined ? null : Number(pid)
}

async function isLeft(folder: string, pid: number): Promise<boolean> {
  const { uid, mtimeMs } = await lstat(folder)
  // Another user could put a link into such a folder while it is removed.
  if (process.getuid && uid !== process.getuid()) return false
  // In a container that was started again, an earlier process may have had the same number.
  return pid === process.pid ? mtimeMs < Date.now() - process.uptime() * 1_000 : !isRunning(pid)
}
