import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import Module, { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { constants, Script } from 'node:vm'

/** The loaded scripts by the paths of their caches. */
const scripts = new Map<string, Script>()

/**
 * Loads a CommonJS file like `require` and returns its exports. When the file `cache` exists, V8 takes the compiled
 * code from it.
 */
export function requireCached(file: string, cache: string): unknown {
  const compiled = existsSync(cache) ? readFileSync(cache) : undefined
  const script = compileScript(readFileSync(file, 'utf8'), file, compiled)
  scripts.set(cache, script)
  const module = new Module(file)
  const require = createRequire(file)
  // Other files of the package require it by its path.
  require.cache[file] = module
  script.runInThisContext()(module.exports, require, module, file, dirname(file))
  module.loaded = true
  return module.exports
}

/**
 * Compiles a CommonJS file to a script whose value is the function around its code. V8 takes code that it has compiled
 * before from `compiled`.
 */
export function compileScript(source: string, file: string, compiled?: Buffer): Script {
  return new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: file,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(compiled && { cachedData: compiled }),
  })
}

/** Writes the caches: the code of the loaded scripts that V8 has compiled so far. */
export function writeCaches(): void {
  for (const [cache, script] of scripts) writeFileSync(cache, script.createCachedData())
}
