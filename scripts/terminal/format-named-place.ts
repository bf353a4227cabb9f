import { type DevPlace, formatDevPlace } from '../../src/shared/wire/dev-protocol.ts'
import { toLine } from './plain-text.ts'

/** Formats a function with its place: `load (pages/index.server.ts:3:9)`. Either of them may be unknown. */
export function formatNamedPlace(name: string, place: DevPlace | null): string {
  if (!place) return toLine(name)
  const location = formatDevPlace(place)
  return toLine(name ? `${name} (${location})` : location)
}
