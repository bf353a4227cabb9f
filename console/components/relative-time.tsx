import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { ago, localMoment, moment } from '../lib/times.ts'

const TICK_MS = 30_000

const NowContext = createContext(0)

/** Lets what stands inside say how long ago something was: as the server saw it at first, then as time goes by. */
export function Now({ now, children }: { now: number; children: ReactNode }) {
  const [passed, setPassed] = useState({ since: now, ms: 0 })
  useEffect(() => {
    // What the two clocks show may differ.
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

/** How long ago, and when: in UTC, and in the browser's own time where that is another one. */
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
