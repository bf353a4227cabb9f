/** The beginning of React's message about attributes that differ. React logs this message and throws nothing. */
const ATTRIBUTES_DIFFER = 'A tree hydrated but some attributes of the server rendered HTML'

/** Turns the differences in attributes, which React only logs, into failures, so that they are reported as well. */
export function reportMismatches() {
  const { error: log } = console
  console.error = (...values: unknown[]) => {
    log.apply(console, values)
    const [format, ...rest] = values
    if (typeof format !== 'string' || !format.startsWith(ATTRIBUTES_DIFFER)) return
    const message = format.replaceAll('%s', () => String(rest.shift()))
    dispatchEvent(new ErrorEvent('error', { error: new Error(message) }))
  }
}
