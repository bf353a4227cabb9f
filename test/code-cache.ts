// Node.js compiles each CommonJS file of each process anew, and version 20 keeps no compiled code. Test processes, and the
// programs that they start, load this file first. It gives V8 the compiled code of installed packages from files. A
// process that starts without such a file writes it when it ends, if it may.

import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import Module, { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Script } from 'node:vm'
import { compileCached } from './cached-script.ts'

interface LoadedModule extends NodeJS.Module {
  _compile(source: string, file: string, format?: string): unknown
}
const { prototype } = Module as unknown as { prototype: LoadedModule }
const compile = prototype._compile
const INSTALLED = fileURLToPath(new URL('../../node_modules/', import.meta.url))
// V8 rejects code that was compiled by another version, or with other options.
const KIND = [
  process.version,
  process.arch,
  ...process.execArgv.filter((word) => !/^--(?:conditions|import)/.test(word)),
]
const FOLDER = fileURLToPath(new URL(`../../.build/code-cache/${hashOf(KIND.join())}`, import.meta.url))
const created = new Map<string, Script>()

prototype._compile = function compileFrom(source, file, format) {
  if (format === 'module' || !file.startsWith(INSTALLED) || source.startsWith('#!'))
    return compile.call(this, source, file, format)
  const { size, mtimeMs } = statSync(file)
  const cache = join(FOLDER, hashOf([file, size, mtimeMs].join()))
  const script = compileCached(source, file, cache)
  if (script.cachedDataRejected !== false) created.set(cache, script)
  return script.runInThisContext().call(this.exports, this.exports, createRequire(file), this, file, dirname(file))
}

process.once('exit', () => {
  try {
    writeCreated()
  } catch {
    // Some tests start programs as another user. An error here would be the exit code of the program.
  }
})

function writeCreated() {
  if (created.size > 0) mkdirSync(FOLDER, { recursive: true })
  for (const [cache, script] of created) {
    const own = `${cache}.${process.pid}`
    writeFileSync(own, script.createCachedData())
    // Another process may read it, or write the same.
    renameSync(own, cache)
  }
}

function hashOf(text: string): string {
  return createHash('sha1').update(text).digest('hex')
}
