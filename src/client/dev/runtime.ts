import type { ReactElement } from 'react'
import type { createSignatureFunctionForTransform, register } from '#react-refresh'
import type { App } from '../app-state.ts'

/** The functions that modules of the site call, as `__hydrant_dev__`. */
export interface DevRuntime {
  /** Notes that a module is evaluated. Returns the functions that Fast Refresh's transform calls. */
  module(
    id: string,
    url: string,
  ): {
    $RefreshReg$(type: unknown, name: string): void
    $RefreshSig$: typeof createSignatureFunctionForTransform
  }
  /** Returns the namespace of a package. */
  package(specifier: string): object
  /** Returns what `require` returns for a package. */
  load(specifier: string): unknown
  /** Returns a CommonJS module of the site, by the modules that it requires. `run` evaluates it. */
  commonJs(targets: Targets, run: (module: { exports: unknown }, exports: object, require: Require) => void): LazyModule
  /** Returns a function that returns the modules that a module requires. */
  createRequire(targets: Targets): Require
  /**
   * Adds the packages of the site. A package is evaluated when it is first used. One that CommonJS modules require has
   * `require:` before its specifier.
   *
   * @param formats Whether each package is written as CommonJS (`cjs`) or as ES modules (`esm`).
   * @param isNode Whether the site's files are ES modules for Node.js. Then the default export of a CommonJS package
   *   is always `module.exports`.
   */
  addPackages(loaders: Record<string, () => unknown>, formats: Record<string, 'cjs' | 'esm'>, isNode: boolean): void
  /** Notes which change of the site was the last one when a module of the page was loaded. */
  since(position: string): void
  /** Adds what the site's options ask for around the whole page. */
  wrap(element: ReactElement): ReactElement
  /** Called by the client when the page is interactive, and with null in a page that is not hydrated. */
  start(app: App | null): void
}

/** A module or package that is evaluated when it is first used. */
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
): DevRuntime {
  const loaded = new Set<string>()
  let onLoad: LoadListener = () => {}
  const packages = new Map<string, LazyModule>()
  let isNodeSite = false
  let first = ''

  function find(specifier: string): LazyModule {
    const found = packages.get(specifier)
    if (!found) throw new Error(`The package ${JSON.stringify(specifier)} is not in this page yet. Reload the page.`)
    return found
  }

  function createLazy(load: () => unknown, format: 'cjs' | 'esm' | undefined): LazyModule {
    let namespace: object | undefined
    return {
      load,
      namespace() {
        namespace ??= format === 'cjs' ? toNamespace(load(), isNodeSite) : (load() as object)
        return namespace
      },
    }
  }

  return {
    module(id, url) {
      loaded.add(id)
      onLoad(id, url)
      return {
        $RefreshReg$: (type, name) => refresh.register(type, `${id} ${name}`),
        $RefreshSig$: refresh.createSignatureFunctionForTransform,
      }
    },
    package: (specifier) => find(specifier).namespace(),
    load: (specifier) => find(`require:${specifier}`).load(),
    createRequire,
    commonJs(targets, run) {
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
      return createLazy(load, 'cjs')
    },
    addPackages(loaders, formats, isNode) {
      isNodeSite = isNode
      for (const [specifier, load] of Object.entries(loaders)) {
        packages.set(specifier, createLazy(load, formats[specifier]))
      }
    },
    // The preamble runs before React, so this module cannot import it.
    wrap(children) {
      if (!HYDRANT_STRICT) return children
      const { createElement, StrictMode } = find('react').namespace() as typeof import('react')
      return createElement(StrictMode, null, children)
    },
    since(position) {
      first ||= position
    },
    start(app) {
      const listen = (listener: LoadListener) => {
        onLoad = listener
      }
      start(app, { has: (id) => loaded.has(id), listen }, first)
    },
  }
}

function createRequire(targets: Targets): Require {
  return (specifier) => {
    const find = Object.hasOwn(targets, specifier) ? targets[specifier] : undefined
    // The message of a bundle.
    if (!find) throw new Error(`Dynamic require of "${specifier}" is not supported`)
    return find()
  }
}

function toNamespace(exports: unknown, isNode: boolean): object {
  const isObject = (typeof exports === 'object' || typeof exports === 'function') && exports !== null
  if (!isObject) return { default: exports }
  if (!isNode && '__esModule' in exports) return exports
  return { ...exports, default: exports }
}
