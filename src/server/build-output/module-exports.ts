// Reads the exports of the site's modules, and refuses those that would be ignored or fail later. The build calls these
// functions too, for exports whose value is written in the source.

import { ACTION_NAME } from '../../shared/paths.ts'
import type { ActionRules } from '../../shared/wire/boot.ts'
import { createExportError, showValue } from '../errors/hydrant-error.ts'
import { createFormRules, type PageSchema, readSchema } from '../schemas/page-schemas.ts'
import { isPlainObject } from '../util/unknown-values.ts'
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

/** Returns the topics of a page or a layout: a list of texts. */
export type LiveFunction = (context: LoadContext) => unknown

/** Throws HYD_FUNCTION_EXPORT. */
export function liveOf(module: ModuleExports): LiveFunction | null {
  return functionOf(module, 'live') as LiveFunction | null
}

/** An action of a page. The export `action` is one without a name. */
export interface PageAction {
  /** Empty for the export `action`. */
  name: string
  run: ActionFunction
  /** The schema of its form; null without one. */
  form: PageSchema | null
}

export interface PageActions {
  /** By their names. */
  actions: ReadonlyMap<string, PageAction>
  /** Null for a page that gets no props for forms. */
  rules: ActionRules | null
}

/** Throws HYD_FUNCTION_EXPORT, HYD_ACTIONS_EXPORT and HYD_SCHEMA_INVALID. */
export function actionsOf(module: ModuleExports): PageActions {
  const { file, exports } = module
  if (exports.actions !== undefined) {
    const named = namedActions(module)
    const rules = named.map(({ name, form }) => [name, form && createFormRules(form.shape)])
    return { actions: new Map(named.map((action) => [action.name, action])), rules: Object.fromEntries(rules) }
  }
  const run = functionOf(module, 'action') as ActionFunction | null
  const form = readSchema('form', exports.form, file)
  return {
    actions: new Map(run && [['', { name: '', run, form }]]),
    rules: form && { '': createFormRules(form.shape) },
  }
}

function namedActions({ file, exports }: ModuleExports): PageAction[] {
  const { actions } = exports
  const refuse = (problem: string) =>
    createExportError('HYD_ACTIONS_EXPORT', [file, problem], { file, name: 'actions' })
  const other = ['action', 'form'].find((name) => exports[name] !== undefined)
  if (other !== undefined) throw refuse(`cannot be beside the export "${other}"`)
  if (!isPlainObject(actions)) throw refuse(`must be an object; got ${showValue(actions)}`)
  const named = Object.entries(actions)
  if (named.length === 0) throw refuse('has no action')
  return named.map(([name, value]: [string, unknown]) => {
    if (!ACTION_NAME.test(name)) throw refuse(`has the name "${name}"; a name has letters, digits, "_" and "-"`)
    const { action: run, form } = isPlainObject(value)
      ? (value as { action?: unknown; form?: unknown })
      : { action: value }
    if (typeof run !== 'function') throw refuse(`has no function for "${name}"; got ${showValue(value)}`)
    return { name, run: run as ActionFunction, form: readSchema('form', form, file, `actions.${name}.form`) }
  })
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
