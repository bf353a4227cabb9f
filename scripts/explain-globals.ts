import type { SourceFrame } from '../src/server/errors/failure-record.ts'
import type { Side } from '../src/shared/wire/public-error.ts'

const OF_BROWSERS = new Set([
  ...[
    'window',
    'document',
    'location',
    'history',
    'navigator',
    'screen',
    'localStorage',
    'sessionStorage',
    'indexedDB',
  ],
  ...['matchMedia', 'getComputedStyle', 'innerWidth', 'innerHeight', 'scrollX', 'scrollY', 'scrollTo', 'alert'],
  ...['requestAnimationFrame', 'cancelAnimationFrame', 'addEventListener', 'removeEventListener'],
  ...['IntersectionObserver', 'MutationObserver', 'ResizeObserver', 'DOMParser', 'XMLHttpRequest', 'customElements'],
  ...['Element', 'HTMLElement', 'Node', 'Image', 'Audio', 'FileReader'],
])
const OF_NODE = new Set(['Buffer', '__dirname', '__filename', 'global', 'module', 'require'])

/** The messages of Node.js, Chrome and Firefox, and of Safari. */
const UNDEFINED = /^(?:(\w+) is not defined|Can't find variable: (\w+))$/

export interface ThrownError {
  type: string
  message: string
  /** The stack: as text, or as frames with files. */
  stack?: string | readonly Pick<SourceFrame, 'file' | 'standIn'>[] | undefined
}

/**
 * Returns the fix for the use of a name that exists only in browsers, on the server, or only in Node.js, in a browser.
 * Returns null for any other error.
 */
export function findGlobalFix(side: Side, { type, message, stack }: ThrownError): string | null {
  const [, inMost, inSafari] = (type === 'ReferenceError' && UNDEFINED.exec(message)) || []
  const name = inMost ?? inSafari ?? ''
  if (side === 'server') {
    const thrower = OF_BROWSERS.has(name) ? packageOf(stack) : null
    if (thrower !== null)
      return `Import "${thrower}", or the package that imports it, with import() in an effect (useEffect) or in an event handler: the server evaluates the package too, and only browsers have "${name}".`
    return OF_BROWSERS.has(name)
      ? `Use "${name}" in an effect (useEffect) or in an event handler: the server runs this code too, and only browsers have "${name}".`
      : null
  }
  if (name === 'process')
    return 'Read a variable whose name begins with PUBLIC_ from "publicEnv" of "hydrant/react" in place of "process.env", or return the value from a load; see "hydrant docs environment".'
  return OF_NODE.has(name)
    ? `Move the code that uses "${name}" into a .server.ts file, and return its result from a load: browsers do not have "${name}".`
    : null
}

/** Returns the package that has thrown; null for the site's own code. */
function packageOf(stack: ThrownError['stack'] = ''): string | null {
  const frame = typeof stack === 'string' ? /^ {4}at .*/m.exec(stack)?.[0] : stack.find((one) => !one.standIn)?.file
  return /.*node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(frame ?? '')?.[1] ?? null
}
