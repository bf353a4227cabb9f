const UNITS = [
  { name: 'day', ms: 86_400_000 },
  { name: 'hour', ms: 3_600_000 },
  { name: 'minute', ms: 60_000 },
] as const

/** `3 minutes ago`. */
export function ago(time: number, now: number): string {
  const passed = now - time
  for (const { name, ms } of UNITS) {
    const count = Math.floor(passed / ms)
    if (count > 0) return `${count} ${name}${count === 1 ? '' : 's'} ago`
  }
  return 'just now'
}

/** `2026-01-31 12:00:05 UTC`: the same on the server and in every browser. */
export function moment(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
