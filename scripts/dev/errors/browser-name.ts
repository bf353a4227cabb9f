/** In this order: most browsers also name those that they are compatible with. */
const BROWSERS = [
  ['Edge', /\bEdg\w*\/(\d+)/],
  ['Opera', /\bOPR\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /\b(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/],
  ['Safari', /\bVersion\/(\d+)[\d.]* .*Safari\//],
] as const

/** Returns the name and major version of a browser: `Firefox 146`. Null for an unknown user agent. */
export function browserName(userAgent: string): string | null {
  for (const [name, pattern] of BROWSERS) {
    const version = pattern.exec(userAgent)?.[1]
    if (version !== undefined) return `${name} ${version}`
  }
  return null
}
