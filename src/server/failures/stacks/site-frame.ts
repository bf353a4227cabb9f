import type { SourceFrame } from '../../errors/failure-record.ts'
import type { SourceMapper } from './source-map.ts'
import { FRAME_START } from './stack-frame.ts'

/**
 * Returns the innermost frame of an error's stack in the site: its line, or the line that called a package which made
 * the error. Returns null if no frame of the stack is in the site.
 */
export function findSiteFrame(error: Error, mapper: Pick<SourceMapper, 'mapFrame'>): SourceFrame | null {
  for (const frame of siteFrames(error, mapper)) return frame
  return null
}

/** Yields the frames of an error's stack in the site, the innermost first. */
export function* siteFrames(error: Error, { mapFrame }: Pick<SourceMapper, 'mapFrame'>): Generator<SourceFrame> {
  // `Error.prepareStackTrace` of another library may return a value of any type.
  for (const line of String(error.stack).split('\n')) {
    const { frame } = line.startsWith(FRAME_START) ? mapFrame(line) : { frame: null }
    if (frame?.isSite) yield frame
  }
}

/** Returns a place as it is written in messages: `pages/index.tsx:4:9`. */
export function showFrame({ file, line, column }: SourceFrame): string {
  return `${file}:${line}:${column}`
}
