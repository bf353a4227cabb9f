// The console imports only the public names of the package. `scripts/terminal/format-failure.ts` formats times for terminals.

const UNITS = [
  { name: 'day', ms: 86_400_000 },
  { name: 'hour', ms: 3_600_000 },
  { name: 'minute', ms: 60_000 },
] as const

/** Returns, for example, `3 minutes ago`. */
export function ago(time: number, now: number): string {
  const passed = now - time
  for (const { name, ms } of UNITS) {
    const count = Math.floor(passed / ms)
    if (count > 0) return `${count} ${name}${count === 1 ? '' : 's'} ago`
  }
  return 'just now'
}

/** Returns, for example, `2026-01-31 12:00:05 UTC`, the same on the server and in every browser. */
export function moment(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** Returns, for example, `2026-01-31 13:00:05 GMT+1`, in the browser's time zone. Null if that is UTC. */
export function localMoment(time: number): string | null {
  const date = new Date(time)
  const minutes = -date.getTimezoneOffset()
  if (minutes === 0) return null
  const local = new Date(time + minutes * 60_000).toISOString().slice(0, 19).replace('T', ' ')
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  const offset = `${minutes < 0 ? '-' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`
  return `${local} GMT${offset}`
}
