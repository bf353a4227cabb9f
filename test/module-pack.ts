// Packs: files with the modules that a module of an installed package loads, with their compiled code.

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Script } from 'node:vm'

/** A module of a pack. */
export interface PackedModule {
  file: string
  /** The paths of the modules that it has loaded, by what it passed to `require`. */
  requires: Readonly<Record<string, string>>
  source: string
  /** V8's compiled code of the source. */
  compiled: Buffer
}

/** A module that a pack will contain. */
export interface RecordedModule extends Omit<PackedModule, 'compiled'>, Version {
  script: Script
}

/** The state of a file. A pack with another state of one of its files is not used. */
interface Version {
  size: number
  mtimeMs: number
}

/** The head of a pack describes its modules. Their sources and compiled codes follow it in this order. */
interface Described extends Version, Pick<PackedModule, 'file' | 'requires'> {
  sourceBytes: number
  compiledBytes: number
}

// V8 rejects code that was compiled by another version, or with other options.
const KIND = [
  process.version,
  process.arch,
  ...process.execArgv.filter((word) => !/^--(?:conditions|import)/.test(word)),
]
const FOLDER = fileURLToPath(new URL(`../../.build/code-cache/${hashOf(KIND.join())}`, import.meta.url))
const LENGTH_BYTES = 4

/** Adds the modules of the pack that begins with the file. Returns false if there is no pack that is up to date. */
export function readPack(file: string, modules: Map<string, PackedModule>): boolean {
  const path = pathOf(file)
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return false
  const pack = readFileSync(path)
  let at = LENGTH_BYTES + pack.readUInt32LE()
  // Only `writePack` writes packs.
  const head = JSON.parse(pack.toString('utf8', LENGTH_BYTES, at)) as Described[]
  if (!head.every(isCurrent)) return false
  for (const { file, requires, sourceBytes, compiledBytes } of head) {
    const source = pack.toString('utf8', at, at + sourceBytes)
    at += sourceBytes
    modules.set(file, { file, requires, source, compiled: pack.subarray(at, at + compiledBytes) })
    at += compiledBytes
  }
  return true
}

function isCurrent({ file, size, mtimeMs }: Described): boolean {
  const found = statSync(file, { throwIfNoEntry: false })
  return found?.size === size && found.mtimeMs === mtimeMs
}

/** Writes the pack that begins with the file. */
export function writePack(file: string, modules: readonly RecordedModule[]): void {
  const head: Described[] = []
  const parts: Buffer[] = []
  for (const { file, requires, size, mtimeMs, source, script } of modules) {
    const [text, compiled] = [Buffer.from(source), script.createCachedData()]
    head.push({ file, requires, size, mtimeMs, sourceBytes: text.length, compiledBytes: compiled.length })
    parts.push(text, compiled)
  }
  const described = Buffer.from(JSON.stringify(head))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(described.length)
  const path = pathOf(file)
  const own = `${path}.${process.pid}`
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(own, Buffer.concat([length, described, ...parts]))
  // Another process may read it, or write the same.
  renameSync(own, path)
}

function pathOf(file: string): string {
  return join(FOLDER, hashOf(file))
}

function hashOf(text: string): string {
  return createHash('sha1').update(text).digest('hex')
}
