/** Returns the text of a call of the console: fills in the placeholders of the first value, and adds further values. */
export function formatConsole([format, ...rest]: readonly unknown[]): string {
  const text = String(format).replace(/%[sdifoOc%]/g, (placeholder) => {
    if (placeholder === '%%') return '%'
    if (rest.length === 0) return placeholder
    const value = rest.shift()
    // A style of the text.
    return placeholder === '%c' ? '' : textOf(value)
  })
  return [text, ...rest.map(textOf)].join(' ')
}

// The value may be an object that throws when it is read.
function textOf(value: unknown): string {
  try {
    return String(value)
  } catch {
    return 'an object that cannot be read'
  }
}
