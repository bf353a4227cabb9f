import { isCaller, isOwn } from './error-stack.ts'
import { ASYNC, type MappedFrame } from './stack-frame.ts'

/**
 * Removes the frames of React, Fastify and Hydrant that called the site, or a package: they are the same in each stack. Of
 * a stack without a frame in the site, keeps all frames if Hydrant itself failed.
 *
 * @param type The type of the error.
 */
export function withoutCallers(frames: readonly MappedFrame[], type: string): readonly MappedFrame[] {
  const last = frames.findLastIndex(({ frame }) => frame?.isSite === true)
  return last === -1 ? ofPackages(frames, type) : beforeCaller(frames, last)
}

export function isCallerFrame({ frame }: MappedFrame): boolean {
  return frame !== null && isCaller(frame.file)
}

function ofPackages(frames: readonly MappedFrame[], type: string): readonly MappedFrame[] {
  const first = frames.findIndex((mapped) => !isCallerFrame(mapped))
  const called = beforeCaller(frames, Math.max(first, 0))
  if (called.some(isOfPackage)) return called
  if (type !== 'HydrantError' && isOfHydrant(frames[first === 0 ? called.length : 0])) return frames
  return first === 0 ? called : []
}

/** Returns the frames before the first caller after an index. */
function beforeCaller(frames: readonly MappedFrame[], index: number): readonly MappedFrame[] {
  const caller = frames.findIndex((mapped, at) => at > index && isCallerFrame(mapped))
  return caller === -1 ? frames : frames.slice(0, caller)
}

function isOfPackage(mapped: MappedFrame): boolean {
  return /(?:^|[\\/])node_modules[\\/]/.test(mapped.frame?.file ?? '') && !isCallerFrame(mapped)
}

// In an asynchronous frame, Hydrant awaits a promise of the site.
function isOfHydrant(mapped: MappedFrame | undefined): boolean {
  return mapped?.frame != null && isOwn(mapped.frame.file) && !mapped.text.startsWith(ASYNC)
}
