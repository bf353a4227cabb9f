// Looks whether the event loop of the process goes on. Runs in a thread of its own.

import { writeSync } from 'node:fs'
import { type Debugger, Session } from 'node:inspector/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'
import type { HangThreadInput } from './watchdog.ts'

// `watchdog.ts` has given it.
const { beats, debugged, checkMs, checks, report } = workerData as HangThreadInput
const MAX_TRIES = 5
/** What is not V8's to stop, a program that is waited for or a disk that is gone, does not stop for it. */
const PAUSE_MS = 5_000

let last = debugged
let missed = 0
for (;;) {
  await wait(checkMs)
  const beat = Atomics.load(beats, 0)
  missed = beat === last && beat !== debugged ? missed + 1 : 0
  last = beat
  if (missed >= checks) {
    await cutOff()
    missed = 0
  }
}

/** Stops what runs in the main thread, has it reported there, and lets the event loop go on without it. */
async function cutOff() {
  const session = new Session()
  session.connectToMainThread()
  const stopped = untilPaused(session)
  // Neither is answered by a process that cannot be stopped.
  void session.post('Debugger.enable').catch(() => {})
  void session.post('Debugger.pause').catch(() => {})
  let frame = await Promise.race([stopped, wait(PAUSE_MS, null)])
  if (frame === null) return endProcess()
  for (let tries = 1; !(await isReported(session, frame, tries === MAX_TRIES)); tries++) {
    const next = untilPaused(session)
    await session.post('Debugger.stepInto')
    frame = await next
  }
  void session.post('Runtime.terminateExecution').catch(() => {})
  await session.post('Debugger.resume')
  session.disconnect()
}

/** Resolves with the innermost function that the main thread is in. */
function untilPaused(session: Session): Promise<Debugger.CallFrame | undefined> {
  return new Promise((resolve) => {
    session.once('Debugger.paused', ({ params }) => resolve(params.callFrames[0]))
  })
}

async function isReported(session: Session, frame: Debugger.CallFrame | undefined, isLast: boolean): Promise<boolean> {
  if (!frame) return isLast
  const expression = `${report}(${isLast})`
  const { result } = await session.post('Debugger.evaluateOnCallFrame', { callFrameId: frame.callFrameId, expression })
  return result.value !== false
}

// Nobody else can say it any more: the logger is the main thread's.
function endProcess() {
  const msg = 'the event loop is blocked by code that cannot be interrupted: killing the process'
  try {
    writeSync(1, `${JSON.stringify({ level: 60, time: Date.now(), pid: process.pid, msg })}\n`)
  } finally {
    process.kill(process.pid, 'SIGKILL')
  }
}
