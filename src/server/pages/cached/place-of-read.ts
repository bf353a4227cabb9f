import type { VisitorRead } from '../../cache/visitor-reads.ts'
import type { SourceFrame } from '../../errors/failure-record.ts'
import type { SourceMapper } from '../../failures/stacks/source-map.ts'

const FRAME_START = '    at '

/**
 * Returns the line of the site that read the property, or called the function that made the error. If a package did so,
 * returns the line that called the package. Returns null if no frame of the stack is in the site.
 */
export function placeOfRead(
  { error }: Pick<VisitorRead, 'error'>,
  { mapFrame }: Pick<SourceMapper, 'mapFrame'>,
): SourceFrame | null {
  // `Error.prepareStackTrace` of another library may return a value of any type.
  for (const line of String(error.stack).split('\n')) {
    const { frame } = line.startsWith(FRAME_START) ? mapFrame(line) : { frame: null }
    if (frame?.isSite) return frame
  }
  return null
}
