import type { VisitorRead } from '../../cache/visitor-reads.ts'
import type { SourceFrame } from '../../errors/failure-record.ts'
import { showFrame, siteFrames } from '../../failures/stacks/site-frame.ts'
import type { SourceMapper } from '../../failures/stacks/source-map.ts'
import type { LoadStep } from '../loads.ts'

/** The place of a read in the site. */
export interface ReadPlace {
  /** The line that read the value; null if no code of the site did. */
  frame: SourceFrame | null
  /** The line of the load that called the code of another file, as the end of a sentence; else empty. */
  calledFrom: string
  /** Whether the load of a layout is known to have read the value. */
  isInLayout: boolean
}

/** @param steps The loads of the page and its layouts. */
export function findReadPlace(
  { error }: VisitorRead,
  steps: readonly LoadStep[],
  mapper: Pick<SourceMapper, 'mapFrame'>,
): ReadPlace {
  const frames = [...siteFrames(error, mapper)]
  const stepOf = ({ file }: SourceFrame) => steps.find(({ serverFile }) => serverFile === file)
  const frame = frames[0] ?? null
  const caller = frames.find(stepOf)
  return {
    frame,
    calledFrom: caller && caller.file !== frame?.file ? `, called from ${showFrame(caller)}` : '',
    isInLayout: caller !== undefined && !stepOf(caller)?.isPage,
  }
}
