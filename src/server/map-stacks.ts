import { dirname } from 'node:path'
import { ownBundles } from './own-bundles.ts'
import { createSourceMapper } from './source-map.ts'

/** Leads the stack of what keeps a build from starting, and those of what caused it, to the site's source. */
export function mapStacks(thrown: unknown, folder: string, buildId: string): void {
  const { mapFrame } = createSourceMapper(dirname(folder), ownBundles(folder, buildId))
  const seen = new Set<unknown>()
  for (let error = thrown; error instanceof Error && !seen.has(error); error = error.cause) {
    seen.add(error)
    if (typeof error.stack !== 'string') continue
    const lines = error.stack.split('\n').map((line) => mapFrame(line).text)
    // One that is frozen stays as it is.
    Reflect.set(error, 'stack', lines.join('\n'))
  }
}
