// Node.js finds, reads and compiles each CommonJS file of each process anew, and version 20 keeps no compiled code. Test
// processes, and the programs that they start, load this file first. It keeps the installed packages in packs
// (`module-pack.ts`): a process reads one file for Fastify and all that it requires.

import { statSync } from 'node:fs'
import Module, { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Script } from 'node:vm'
// Before this module reads compiled code, which belongs to the options of V8.
import './optimize-later.ts'
import { compileScript } from './cached-script.ts'
import { type PackedModule, type RecordedModule, readPack, writePack } from './module-pack.ts'

interface LoadedModule extends NodeJS.Module {
  _compile(source: string, file: string, format?: string): unknown
}
/** What Node.js itself uses. Libraries that trace programs replace these functions. */
interface Internals {
  new (file: string, parent: NodeJS.Module): LoadedModule
  prototype: LoadedModule
  _cache: Record<string, NodeJS.Module>
  _load: unknown
  _resolveFilename(request: string, parent: NodeJS.Module): string
  _nodeModulePaths(dir: string): string[]
}
const internals = Module as unknown as Internals
const { prototype, _load, _resolveFilename } = internals
const { require: requireFrom, _compile } = prototype
const INSTALLED = fileURLToPath(new URL('../../node_modules/', import.meta.url))

/** The modules of the packs that this process has read and not loaded yet, by their paths. */
const packed = new Map<string, PackedModule>()
/** The modules of each pack to be written, by the path of the first one. */
const recorded = new Map<string, RecordedModule[]>()
let recording: RecordedModule[] | null = null

prototype._compile = function compile(source, file, format) {
  if (format === 'module' || !file.startsWith(INSTALLED) || source.startsWith('#!'))
    return _compile.call(this, source, file, format)
  if (recording) return record(recording, this, source, file)
  const known = takePacked(file) ?? (readPack(file, packed) ? takePacked(file) : undefined)
  if (known) return run(this, known)
  recording = []
  try {
    record(recording, this, source, file)
    recorded.set(file, recording)
  } finally {
    recording = null
  }
}

/** Runs a module that no pack contains, and notes what it requires while it is loaded. */
function record(modules: RecordedModule[], module: NodeJS.Module, source: string, file: string) {
  const { size, mtimeMs } = statSync(file)
  const requires: Record<string, string> = {}
  const script = compileScript(source, file)
  modules.push({ file, size, mtimeMs, requires, source, script })
  const require = (request: string) => {
    const found = internals._resolveFilename(request, module)
    if (found.startsWith(INSTALLED) && found.endsWith('.js')) requires[request] = found
    return module.require(request)
  }
  evaluate(module, script, file, addProperties(require, file))
}

/** Runs a module of a pack. What it requires is loaded from packs too, without a search for its file. */
function run(module: NodeJS.Module, { file, source, compiled, requires }: PackedModule) {
  const require = (request: string) => {
    const found = requires[request]
    if (found === undefined || isTraced()) return module.require(request)
    const loaded = internals._cache[found]
    if (loaded) return loaded.loaded ? loaded.exports : module.require(request)
    const known = takePacked(found)
    return known ? load(known, module) : module.require(request)
  }
  evaluate(module, compileScript(source, file, compiled), file, addProperties(require, file, source))
}

/** Does what Node.js does for a file that it has found. */
function load(known: PackedModule, parent: NodeJS.Module): unknown {
  const { file } = known
  const module = new internals(file, parent)
  internals._cache[file] = module
  module.filename = file
  module.paths = pathsOf(dirname(file))
  try {
    run(module, known)
  } catch (error) {
    delete internals._cache[file]
    throw error
  }
  module.loaded = true
  return module.exports
}

function takePacked(file: string): PackedModule | undefined {
  const known = packed.get(file)
  packed.delete(file)
  return known
}

/** Says whether a library wants to see each `require`. */
function isTraced(): boolean {
  return (
    prototype.require !== requireFrom || internals._load !== _load || internals._resolveFilename !== _resolveFilename
  )
}

const paths = new Map<string, string[]>()

function pathsOf(dir: string): string[] {
  const known = paths.get(dir) ?? internals._nodeModulePaths(dir)
  paths.set(dir, known)
  return known
}

/** Gives a function the properties of `require`, if the source uses one: that takes as long as a small module. */
function addProperties(require: (request: string) => unknown, file: string, source?: string) {
  if (source !== undefined && !/\brequire\b(?!\s*\()/.test(source)) return require
  const { resolve, main, extensions, cache } = createRequire(file)
  return Object.assign(require, { resolve, main, extensions, cache })
}

function evaluate(module: NodeJS.Module, script: Script, file: string, require: unknown) {
  script.runInThisContext().call(module.exports, module.exports, require, module, file, dirname(file))
}

process.once('exit', () => {
  try {
    for (const [file, modules] of recorded) writePack(file, modules)
  } catch {
    // Some tests start programs as another user. An error here would be the exit code of the program.
  }
})
