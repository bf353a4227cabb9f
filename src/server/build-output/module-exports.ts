// Reads the exports of the site's modules, and refuses those that would be ignored or fail later. The build calls these
// functions too, for exports whose value is written in the source.

import { createExportError, showValue } from '../errors/hydrant-error.ts'
import type { GuardFunction } from './guarded-folders.ts'
import type { ActionContext, LoadContext } from './page-contexts.ts'

export type LoadFunction = (context: LoadContext) => unknown
export type ActionFunction = (context: ActionContext) => unknown

export interface ModuleExports {
  /** Path in the site. */
  file: string
  exports: Readonly<Record<string, unknown>>
}

/** Returns the component of a module; undefined for a module that is not loaded. Throws HYD_COMPONENT_EXPORT. */
export function componentOf({ file, exports }: ModuleExports): unknown {
  const component = exports.default
  if (component === undefined || isComponent(component)) return component
  const given = isElement(component) ? 'an element' : showValue(component)
  throw createExportError('HYD_COMPONENT_EXPORT', [file, given], { file, name: 'default' })
}

/** Returns whether React accepts a value as a component. The results of `memo`, `lazy` and `forwardRef` are objects. */
function isComponent(value: unknown): boolean {
  if (typeof value === 'function') return true
  return typeof value === 'object' && value !== null && '$$typeof' in value && !isElement(value)
}

function isElement(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '$$typeof' in value && value.$$typeof === ELEMENT
}

export const ELEMENT = Symbol.for('react.transitional.element')

/** Returns whether the documents of a page have scripts. Throws HYD_HYDRATE_EXPORT. */
export function isHydrated({ file, exports: { hydrate } }: ModuleExports): boolean {
  if (hydrate !== undefined && hydrate !== false)
    throw createExportError('HYD_HYDRATE_EXPORT', [file, showValue(hydrate)], { file, name: 'hydrate' })
  return hydrate === undefined
}

/** Throws HYD_FUNCTION_EXPORT. */
export function loadOf(module: ModuleExports): LoadFunction | null {
  return functionOf(module, 'load') as LoadFunction | null
}

/** Throws HYD_FUNCTION_EXPORT. */
export function actionOf(module: ModuleExports): ActionFunction | null {
  return functionOf(module, 'action') as ActionFunction | null
}

function functionOf({ file, exports }: ModuleExports, name: string): unknown {
  const value = exports[name]
  if (value === undefined || value === null) return null
  if (typeof value !== 'function')
    throw createExportError('HYD_FUNCTION_EXPORT', [name, file, showValue(value)], { file, name })
  return value
}

/** Throws HYD_VISITOR_LOAD. */
export function visitorLoadOf({ file, exports: { loadVisitor, cache } }: ModuleExports): LoadFunction | null {
  if (loadVisitor === undefined) return null
  const refuse = (problem: string) =>
    createExportError('HYD_VISITOR_LOAD', [file, problem], { file, name: 'loadVisitor' })
  if (typeof loadVisitor !== 'function') throw refuse(`must be a function; got ${showValue(loadVisitor)}`)
  if (cache === undefined) throw refuse('needs the export "cache"')
  return loadVisitor as LoadFunction
}

/** A guard that is ignored would leave its pages open to everyone. Throws HYD_GUARD_EXPORT. */
export function guardOf({ file, exports }: ModuleExports): GuardFunction | null {
  if (!('guard' in exports)) return null
  const { guard } = exports
  if (typeof guard !== 'function')
    throw createExportError('HYD_GUARD_EXPORT', [file, showValue(guard)], { file, name: 'guard' })
  return guard as GuardFunction
}
