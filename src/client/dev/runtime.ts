import type { ReactElement } from 'react'
import type { createSignatureFunctionForTransform, register } from '#react-refresh'
import type { App } from '../app.tsx'
import { importModule } from '../import-module.ts'

/** The functions that modules of the site call, as `__hydrant_dev__`. */
export type DevRuntime = ReturnType<typeof createDevRuntime>

/** A module that is evaluated when it is first used. */
interface LazyModule {
  /** Returns what `require` returns. */
  load(): unknown
  /** Returns what `import * as` returns. */
  namespace(): object
}

type Require = (specifier: string) => unknown
type Targets = Readonly<Record<string, () => unknown>>

interface Refresh {
  register: typeof register
  createSignatureFunctionForTransform: typeof createSignatureFunctionForTransform
}

/** Called when a module is about to be evaluated, with the URL of its script. */
type LoadListener = (id: string, url: string) => void

/** The modules that have been evaluated. */
export interface LoadedModules {
  has(id: string): boolean
  listen(listener: LoadListener): void
}

export function createDevRuntime(
  refresh: Refresh,
  start: (app: App | null, modules: LoadedModules, position: string) => void,
) {
  const loaded = new Set<string>()
  let onLoad: LoadListener = () => {}
  let provided: Record<string, object> = {}
  /** The namespaces of CommonJS packages by those of their scripts. */
  const namespaces = new WeakMap<object, object>()
  let first = ''
  const find = (specifier: string) => provided[specifier] ?? missing(specifier)

  return {
    /** Adds the modules that a page has one copy of, by their specifiers. React must be evaluated after this object exists. */
    provide(modules: Record<string, object>) {
      provided = modules
    },
    /** Returns a provided module. */
    provided: find,
    /** Notes that a module is evaluated. Returns the functions that Fast Refresh's transform calls. */
    module(
      id: string,
      url: string,
    ): {
      $RefreshReg$(type: unknown, name: string): void
      $RefreshSig$: typeof createSignatureFunctionForTransform
    } {
      loaded.add(id)
      onLoad(id, url)
      return {
        $RefreshReg$: (type, name) => refresh.register(type, `${id} ${name}`),
        $RefreshSig$: refresh.createSignatureFunctionForTransform,
      }
    },
    /** Returns what `import * as` returns for a CommonJS package. The default export of its script is `module.exports`. */
    namespace(script: { default?: unknown }): object {
      const namespace = namespaces.get(script) ?? toNamespace(script.default ?? {})
      namespaces.set(script, namespace)
      return namespace
    },
    /** Imports one of the modules that the pattern of an `import()` matches, or the script at a URL. */
    async match(modules: Targets, specifier: unknown): Promise<unknown> {
      const path = String(specifier)
      const load = Object.hasOwn(modules, path) ? modules[path] : undefined
      if (load) return await load()
      if (isRelative(path)) throw notInBundle(path)
      return await importModule(path)
    },
    /** Throws an error for a package that the page does not have yet. */
    missing,
    /** Returns a function that returns the modules that a module requires. */
    createRequire,
    /** Returns a CommonJS module of the site, by the modules that it requires. `run` evaluates it. */
    commonJs(
      targets: Targets,
      run: (module: { exports: unknown }, exports: object, require: Require) => void,
    ): LazyModule {
      let module: { exports: unknown } | undefined
      function load() {
        if (module) return module.exports
        const exports = {}
        const evaluated = { exports }
        module = evaluated
        try {
          run.call(exports, evaluated, exports, createRequire(targets))
        } catch (error) {
          module = undefined
          throw error
        }
        return evaluated.exports
      }
      let namespace: object | undefined
      return {
        load,
        namespace() {
          namespace ??= toNamespace(load())
          return namespace
        },
      }
    },
    /** Adds what the site's options ask for around the whole page. */
    wrap(children: ReactElement): ReactElement {
      if (!HYDRANT_STRICT) return children
      const { createElement, StrictMode } = find('react') as typeof import('react')
      return createElement(StrictMode, null, children)
    },
    /** Notes which change of the site was the last one when a module of the page was loaded. */
    since(position: string) {
      first ||= position
    },
    /** Called by the client when the page is interactive, and with null in a page that is not hydrated. */
    start(app: App | null) {
      const listen = (listener: LoadListener) => {
        onLoad = listener
      }
      start(app, { has: (id) => loaded.has(id), listen }, first)
    },
  }
}

function missing(specifier: string): never {
  throw new Error(`The package ${JSON.stringify(specifier)} is not in this page yet. Reload the page.`)
}

const isRelative = (specifier: string) => /^\.\.?\//.test(specifier)

/** Returns the error of a bundle for a path that the pattern of an `import()` or `require()` does not match. */
const notInBundle = (path: string) => new Error(`Module not found in bundle: ${path}`)

function createRequire(targets: Targets): Require {
  return (specifier) => {
    const find = Object.hasOwn(targets, specifier) ? targets[specifier] : undefined
    if (find) return find()
    // The messages of a bundle.
    if (isRelative(specifier)) throw notInBundle(specifier)
    throw new Error(`Dynamic require of "${specifier}" is not supported`)
  }
}

function toNamespace(exports: unknown): object {
  const isObject = (typeof exports === 'object' || typeof exports === 'function') && exports !== null
  if (!isObject) return { default: exports }
  if (!HYDRANT_ESM_SITE && '__esModule' in exports) return exports
  return { ...exports, default: exports }
}
