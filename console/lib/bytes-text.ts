const UNITS = ['B', 'kB', 'MB', 'GB']
const STEP = 1_000

/** Returns a number of bytes as text: `1.2 MB`. */
export function bytesText(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= STEP && unit < UNITS.length - 1) {
    value /= STEP
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit] ?? ''}`
}
