import type { ExtraProps } from '../../shared/wire/boot.ts'
import type { Acted } from '../../shared/wire/navigation-protocol.ts'
import { serialize } from '../../shared/wire/values.ts'
import type { RequestContext } from '../context/request-context.ts'
import { unserializable } from '../render/deferred.ts'

/** The extras of a page, and their text from `serialize`. */
export interface WrittenExtras {
  value: ExtraProps
  serialized: string
}

/**
 * Writes the extras of a page: those of an action, and the output of the schemas `params` and `search`. Returns null if
 * there are none. Throws HYD_DATA_UNSERIALISABLE.
 *
 * @param ofAction Is written first, so that the error names the action.
 */
export function writeExtras(ofAction: ExtraProps, file: string, ctx: RequestContext): WrittenExtras | null {
  const { addressExtras } = ctx
  const { actionData, invalid, action } = ofAction
  if (actionData === undefined && invalid === undefined && addressExtras === null) return null
  const value: ExtraProps = { ...addressExtras }
  if (actionData !== undefined) value.actionData = actionData
  if (invalid !== undefined) value.invalid = invalid
  if (action !== undefined) value.action = action
  return { value, serialized: serializeAll(value, file) }
}

/** Writes the result of an action. Throws HYD_DATA_UNSERIALISABLE. */
export function writeActed({ actionData, invalid, action, revalidate }: Acted, file: string): string {
  const acted: Acted = {}
  if (actionData !== undefined) acted.actionData = actionData
  if (invalid !== undefined) acted.invalid = invalid
  if (action !== undefined) acted.action = action
  if (revalidate === false) acted.revalidate = false
  return Object.keys(acted).length === 0 ? serialize(undefined, refusePromise) : serializeAll(acted, file)
}

function serializeAll(value: ExtraProps, file: string): string {
  try {
    return serialize(value, refusePromise)
  } catch (error) {
    throw nameCulprit(value, file) ?? error
  }
}

/** Returns the error for the first part that cannot be serialized. Its path begins at that part. */
function nameCulprit(value: ExtraProps, file: string): Error | null {
  for (const name of ['actionData', 'search', 'params'] as const) {
    try {
      serialize(value[name], refusePromise)
    } catch (error) {
      return unserializable(error, file, name === 'actionData' ? 'action' : name)
    }
  }
  return null
}

function refusePromise(): never {
  throw new Error('it contains a promise')
}
