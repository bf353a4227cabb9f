import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'

/** A module for the server, as a CommonJS script or, with a top-level await, as an ES module on the disk. */
export interface ServerModule {
  /** The path that stack traces show. */
  path: string
  code: string
  /** The specifiers of the module's static imports, in order. */
  imports: readonly string[]
  /** Whether it was written as CommonJS. Then `module.exports` is the default export. */
  isCommonJs: boolean
  /** Whether `code` is an ES module, because it uses a top-level await. It is on the disk at `path`. */
  isEsm: boolean
}

export interface RunnerInput {
  /** Returns a module. Throws if it cannot be compiled. */
  load(id: string): Promise<ServerModule>
  /** Returns the id of an imported module of the site; null for a package or a module of Node.js. */
  resolve(specifier: string, importer: string): string | null
  /** Imports a package or a module of Node.js as the site's server bundle does. */
  importPackage(specifier: string): Promise<object>
  /** Returns the value of `import.meta.url`. */
  metaUrl(): string
  /** The name of the global object with a method `get`, through which ES modules find the modules of the site. */
  global: string
}

/** Evaluates the site's modules, each once, until it is invalidated. */
export interface ServerRunner {
  /** Returns the namespace of a module. Rejects with whatever the module throws, and evaluates it again next time. */
  import(id: string): Promise<Record<string, unknown>>
  /** Forgets modules. Their next import evaluates them again. */
  invalidate(ids: Iterable<string>): void
}

interface Evaluated {
  exports: Record<string, unknown>
  done: Promise<void>
}

type Compiled = (
  module: { exports: unknown },
  exports: unknown,
  require: (specifier: string) => unknown,
  meta: { url: string },
  filename: string,
  dirname: string,
) => void

export function createServerRunner({ load, resolve, importPackage, metaUrl, global }: RunnerInput): ServerRunner {
  const evaluated = new Map<string, Evaluated & { module: { exports: unknown }; isCommonJs: boolean }>()
  const packages = new Map<string, object>()
  let count = 0

  async function requirePackage(specifier: string): Promise<object> {
    const found = packages.get(specifier) ?? (await importPackage(specifier))
    packages.set(specifier, found)
    return found
  }

  function start(id: string, parents: ReadonlySet<string>): Evaluated {
    const known = evaluated.get(id)
    if (known) return known
    const module: { exports: unknown } = { exports: {} }
    const record = {
      module,
      isCommonJs: false,
      get exports() {
        return toNamespace(module.exports, this.isCommonJs)
      },
      done: Promise.resolve(),
    }
    evaluated.set(id, record)
    record.done = evaluate(id, record, new Set([...parents, id])).catch((error: unknown) => {
      if (evaluated.get(id) === record) evaluated.delete(id)
      throw error
    })
    // Whoever imports the module handles the error.
    record.done.catch(() => {})
    return record
  }

  async function evaluate(
    id: string,
    record: { module: { exports: unknown }; isCommonJs: boolean },
    parents: ReadonlySet<string>,
  ): Promise<void> {
    const compiled = await load(id)
    record.isCommonJs = compiled.isCommonJs
    for (const specifier of compiled.imports) {
      const target = resolve(specifier, id)
      if (target === null) await requirePackage(specifier)
      // A circular import gets the exports that exist by then.
      else if (!parents.has(target)) await start(target, parents).done
    }
    const { module } = record
    if (compiled.isEsm) {
      // Node.js evaluates the same URL only once.
      module.exports = await importPackage(`${pathToFileURL(compiled.path).href}?${++count}`)
      return
    }
    function require(specifier: string): unknown {
      const target = resolve(specifier, id)
      if (target === null) return packages.get(specifier) ?? requirePackage(specifier)
      const found = evaluated.get(target)
      // Only a dynamic import finds a module that has not been started.
      return found ? found.exports : start(target, new Set()).done.then(() => evaluated.get(target)?.exports)
    }
    const run = compile(compiled)
    run(module, module.exports, require, { url: metaUrl() }, compiled.path, dirname(compiled.path))
  }

  Object.assign(globalThis, { [global]: { get: (id: string) => evaluated.get(id)?.exports } })
  // Two imports at the same time could wait for each other's modules.
  let last: Promise<unknown> = Promise.resolve()

  async function importNow(id: string): Promise<Record<string, unknown>> {
    const record = start(id, new Set())
    await record.done
    return record.exports
  }

  return {
    import(id) {
      const result = last.then(() => importNow(id))
      last = result.catch(() => {})
      return result
    },
    invalidate(ids) {
      for (const id of ids) evaluated.delete(id)
    },
  }
}

function compile({ code, path }: ServerModule): Compiled {
  const wrapped = `(function (module, exports, require, hydrantMeta, __filename, __dirname) {${code}\n})`
  // The wrapper is on the first line of the code, so lines stay; the column of the first line is corrected.
  const script = new Script(wrapped, { filename: path, columnOffset: -wrapped.indexOf('{') - 1 })
  return script.runInThisContext() as Compiled
}

/** Returns the namespace that importers see, as Node.js does: the default export of CommonJS is `module.exports`. */
function toNamespace(exports: unknown, isCommonJs: boolean): Record<string, unknown> {
  if (!isCommonJs) return exports as Record<string, unknown>
  const named = typeof exports === 'object' && exports !== null ? exports : {}
  return { ...named, default: exports }
}
