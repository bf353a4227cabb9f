import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { ago, localMoment, moment } from '../lib/times.ts'

const TICK_MS = 30_000

const NowContext = createContext(0)

/** Provides the current time to `Ago` and `When`: the server's time, plus the time that has passed in the browser. */
export function Now({ now, children }: { now: number; children: ReactNode }) {
  const [passed, setPassed] = useState({ since: now, ms: 0 })
  useEffect(() => {
    // The clocks of the server and the browser may differ, so only the elapsed time is measured here.
    const startedAt = performance.now()
    const timer = setInterval(() => setPassed({ since: now, ms: performance.now() - startedAt }), TICK_MS)
    return () => clearInterval(timer)
  }, [now])
  return <NowContext value={now + (passed.since === now ? passed.ms : 0)}>{children}</NowContext>
}

export function Ago({ time }: { time: number }) {
  const now = useContext(NowContext)
  return (
    <time dateTime={new Date(time).toISOString()} title={moment(time)}>
      {ago(time, now)}
    </time>
  )
}

/** Shows how long ago `time` was, the time in UTC, and the browser's local time if it differs from UTC. */
export function When({ time }: { time: number }) {
  const [local, setLocal] = useState<string | null>(null)
  // The server does not know the time zone.
  useEffect(() => setLocal(localMoment(time)), [time])
  return (
    <>
      <Ago time={time} /> <small>{moment(time)}</small>
      {local !== null && <small>{local}</small>}
    </>
  )
}
