import { resolveOptions } from '../../../src/server/options/resolve-options.ts'

/** An option of the configuration that the server would refuse. */
export interface RefusedOption {
  /** The full name: `timeouts.loadMs`. */
  name: string
  error: unknown
}

/** Finds all options that the server would refuse. `resolveOptions` throws for the first one. */
export function findRefusedOptions(config: Record<string, unknown>): RefusedOption[] {
  return Object.entries(config).flatMap(([name, value]) => {
    const error = refusalOf({ [name]: value })
    if (error === null) return []
    const parts = typeof value === 'object' && value !== null ? Object.entries(value) : []
    const refused = parts.flatMap(([part, inner]): RefusedOption[] => {
      const reason = refusalOf({ [name]: { [part]: inner } })
      return reason === null ? [] : [{ name: `${name}.${part}`, error: reason }]
    })
    return refused.length > 0 ? refused : [{ name, error }]
  })
}

/** Returns the error that `resolveOptions` throws, or null. */
function refusalOf(config: Record<string, unknown>): unknown {
  try {
    resolveOptions({ config })
    return null
  } catch (error) {
    return error
  }
}
