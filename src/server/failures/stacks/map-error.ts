import type { SourceFrame } from '../../errors/failure-record.ts'
import type { ServerMapper } from './source-map.ts'

/**
 * Maps the stack of an error that was thrown outside of any request, and those of its causes, to the source. Changes
 * the errors. Returns the first frame in the site with its code, or null when no stack has one.
 */
export function mapStacks(thrown: unknown, mapper: ServerMapper): SourceFrame | null {
  const seen = new Set<unknown>()
  let first: SourceFrame | null = null

  function mapLine(line: string): string {
    const { text, frame } = mapper.mapFrame(line)
    if (frame?.isSite && first === null) first = withCode(frame, mapper)
    return text
  }

  for (let error = thrown; error instanceof Error && !seen.has(error); error = error.cause) {
    seen.add(error)
    if (typeof error.stack !== 'string') continue
    const lines = error.stack.split('\n').map(mapLine)
    // The stack of a frozen error stays as it is.
    Reflect.set(error, 'stack', lines.join('\n'))
  }
  return first
}

function withCode(frame: SourceFrame, { codeAround }: ServerMapper): SourceFrame {
  const code = codeAround(frame)
  return code ? { ...frame, code } : frame
}
