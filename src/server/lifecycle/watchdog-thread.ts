// The thread that watches the event loop of the process.

import { writeSync } from 'node:fs'
import { type Debugger, Session } from 'node:inspector/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import type { WatchdogInput } from './watchdog.ts'

// `watchdog.ts` passes this object.
const { beats, debugged, checkMs, checks, pauseMs, report, isReportOnly } = workerData as WatchdogInput
const MAX_TRIES = 5

let last = debugged
let missed = 0
for (;;) {
  await wait(checkMs)
  const beat = Atomics.load(beats, 0)
  missed = beat === last && beat !== debugged ? missed + 1 : 0
  last = beat
  if (missed === checks) {
    await interrupt()
    // Code that may run on is reported again with each check.
    missed = isReportOnly ? checks - 1 : 0
  }
}

/**
 * Pauses the main thread, reports the code that it runs, terminates that code unless it is only reported, and lets the
 * event loop continue. Terminated code runs no `finally`, and its promises are lost, so the process has to end then.
 */
async function interrupt() {
  const session = new Session()
  session.connectToMainThread()
  const paused = untilPaused(session)
  // A process that cannot be paused responds to neither.
  void session.post('Debugger.enable').catch(() => {})
  void session.post('Debugger.pause').catch(() => {})
  const frame = await Promise.race([paused, wait(pauseMs, null)])
  // A busy machine can delay this thread until the event loop runs again, and the pause is in other code then.
  const isBlocked = Atomics.load(beats, 0) === last
  if (frame === null) {
    if (isBlocked && !isReportOnly) endProcess()
    return session.disconnect()
  }
  if (isBlocked) await reportCode(session, frame)
  await session.post('Debugger.resume')
  session.disconnect()
}

async function reportCode(session: Session, first: Debugger.CallFrame | undefined) {
  let frame = first
  for (let tries = 1; !(await isReported(session, frame, tries === MAX_TRIES)); tries++) {
    const next = untilPaused(session)
    await session.post('Debugger.stepInto')
    frame = await next
  }
  if (!isReportOnly) void session.post('Runtime.terminateExecution').catch(() => {})
}

/** Resolves with the innermost frame of the main thread. */
function untilPaused(session: Session): Promise<Debugger.CallFrame | undefined> {
  return new Promise((resolve) => {
    session.once('Debugger.paused', ({ params }) => resolve(params.callFrames[0]))
  })
}

/** Resolves with false when the report needs another try. */
async function isReported(session: Session, frame: Debugger.CallFrame | undefined, isLast: boolean): Promise<boolean> {
  if (!frame) return isLast
  const expression = `${report}(${isLast})`
  const { result } = await session.post('Debugger.evaluateOnCallFrame', { callFrameId: frame.callFrameId, expression })
  return result.value !== false
}

// The logger belongs to the main thread, so this thread writes the log line itself.
function endProcess() {
  const msg = 'the event loop is blocked by code that cannot be interrupted: killing the process'
  try {
    writeSync(1, `${JSON.stringify({ level: 60, time: Date.now(), pid: process.pid, msg })}\n`)
  } finally {
    process.kill(process.pid, 'SIGKILL')
  }
}
