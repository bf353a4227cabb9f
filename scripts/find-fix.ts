import type { SourceFrame } from '../src/server/errors/failure-record.ts'
import { hintAtClosest } from '../src/server/util/closest-match.ts'
import type { Side } from '../src/shared/wire/public-error.ts'

/** The messages of Chrome and Node.js, of Firefox, and of Safari. The groups are the name. */
const NO_EXPORT =
  /(?:does not|doesn't) provide an export named:? '([^']+)'|^Importing binding name '([^']+)' is not found/
/** React's message for an element whose type is the whole `module.exports` of a package. */
const OBJECT_ELEMENT = /^Element type is invalid: .*but got: object\./

/** Returns the fix for an error with a known reason, given the site's routes; null for any other error. */
export function findFix(side: Side, error: ThrownError, routes: readonly string[]): string | null {
  const { message } = error
  return (
    findHrefFix(message, routes) ??
    findGlobalFix(side, error) ??
    findExportFix(message) ??
    findElementFix(side, message)
  )
}

/** Types that a module exports are not in its script, and an export of a type must say that it is one. */
function findExportFix(message: string): string | null {
  const [, inMost, inSafari] = NO_EXPORT.exec(message) ?? []
  const name = inMost ?? inSafari
  return name === undefined
    ? null
    : `If "${name}" is a type, write "export type { ${name} } from …". Otherwise, export "${name}" in that module.`
}

function findElementFix(side: Side, message: string): string | null {
  return side === 'server' && OBJECT_ELEMENT.test(message)
    ? 'If the component is the default import of a CommonJS package, import it by its name or take the property "default" of the import; see "hydrant docs development".'
    : null
}

/** Returns the fix for an error that `href` threw for a route without a page; null for any other message. */
function findHrefFix(message: string, routes: readonly string[]): string | null {
  const [, route] = /^href\('([^']*)'\): /.exec(message) ?? []
  if (route === undefined || routes.includes(route)) return null
  return `Correct the route: there is no page ${route}${hintAtClosest(route, routes, String) || '.'}`
}

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

interface ThrownError {
  type: string
  message: string
  /** The stack: as text, or as frames with files. */
  stack?: string | readonly Pick<SourceFrame, 'file' | 'standIn'>[] | undefined
}

/** Returns the fix for a name that exists only on the other side, or only in Node.js; null for any other error. */
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
