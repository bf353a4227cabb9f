import type { ReactElement } from 'react'
import type { createSignatureFunctionForTransform, register } from '#react-refresh'
import type { App } from '../app-state.ts'

/** The functions that modules of the site call, as `__hydrant_dev__`. */
export interface DevRuntime {
  /** Notes that a module is evaluated. Returns the functions that Fast Refresh's transform calls. */
  module(id: string): {
    $RefreshReg$(type: unknown, name: string): void
    $RefreshSig$: typeof createSignatureFunctionForTransform
  }
  /** Returns the namespace of a package. */
  package(specifier: string): object
  /**
   * Adds the packages of the site. A package is evaluated when it is first used.
   *
   * @param formats Whether each package is written as CommonJS (`cjs`) or as ES modules (`esm`).
   * @param isNode Whether the site's files are ES modules for Node.js. Then the default export of a CommonJS package
   *   is always `module.exports`.
   */
  addPackages(loaders: Record<string, () => unknown>, formats: Record<string, 'cjs' | 'esm'>, isNode: boolean): void
  /** The ids of the modules that have been evaluated. */
  readonly loaded: ReadonlySet<string>
  /** Notes which change of the site was the last one when a module of the page was loaded. */
  since(position: string): void
  /** Adds what the site's options ask for around the whole page. */
  wrap(element: ReactElement): ReactElement
  /** Called by the client when the page is interactive. */
  start(app: App): void
}

interface Refresh {
  register: typeof register
  createSignatureFunctionForTransform: typeof createSignatureFunctionForTransform
}

export function createDevRuntime(
  refresh: Refresh,
  start: (app: App, loaded: ReadonlySet<string>, position: string) => void,
): DevRuntime {
  const loaded = new Set<string>()
  const packages = new Map<string, () => object>()
  let first = ''

  function find(specifier: string): object {
    const load = packages.get(specifier)
    if (!load) throw new Error(`The package ${JSON.stringify(specifier)} is not in this page yet. Reload the page.`)
    return load()
  }

  return {
    loaded,
    module(id) {
      loaded.add(id)
      return {
        $RefreshReg$: (type, name) => refresh.register(type, `${id} ${name}`),
        $RefreshSig$: refresh.createSignatureFunctionForTransform,
      }
    },
    package: find,
    addPackages(loaders, formats, isNode) {
      for (const [specifier, load] of Object.entries(loaders)) {
        let namespace: object | undefined
        packages.set(specifier, () => {
          namespace ??= formats[specifier] === 'cjs' ? toNamespace(load(), isNode) : (load() as object)
          return namespace
        })
      }
    },
    // The preamble runs before React, so this module cannot import it.
    wrap(children) {
      if (!HYDRANT_STRICT) return children
      const { createElement, StrictMode } = find('react') as typeof import('react')
      return createElement(StrictMode, null, children)
    },
    since(position) {
      first ||= position
    },
    start: (app) => start(app, loaded, first),
  }
}

function toNamespace(exports: unknown, isNode: boolean): object {
  const isObject = (typeof exports === 'object' || typeof exports === 'function') && exports !== null
  if (!isObject) return { default: exports }
  if (!isNode && '__esModule' in exports) return exports
  return { ...exports, default: exports }
}
