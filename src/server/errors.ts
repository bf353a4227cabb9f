import createError, { type FastifyError } from '@fastify/error'

interface ErrorEntry {
  /** `%s` stands for what the thrower passes, in order. */
  message: string
  /** One imperative sentence. */
  fix: string
  /** HTTP status when it happens within a request (500). */
  statusCode?: number
}

/** Every error of Hydrant's own. A code is never reused; `docs/errors.md` has a heading for each. */
export const errorTable = {
  HYD_OPTION_UNKNOWN: {
    message: 'unknown option "%s"%s',
    fix: 'Use one of the options listed in docs/options.md, or remove it.',
  },
  HYD_OPTION_INVALID: {
    message: '"%s" must be %s; got %s',
    fix: 'Correct the value where it is set: the command line, the environment, hydrant.config.ts or the plugin’s options.',
  },
  HYD_BUILD_MISSING: {
    message: 'there is no build in %s',
    fix: 'Run "hydrant build" for this site first.',
  },
  HYD_BUILD_INCOMPLETE: {
    message: 'the build in %s is incomplete: %s',
    fix: 'Run "hydrant build" again and let it finish.',
  },
  HYD_BUILD_VERSION: {
    message: 'the build in %s was written by hydrant %s; this is hydrant %s',
    fix: 'Run "hydrant build" again with the installed version.',
  },
  HYD_BUILD_BROKEN: {
    message: '%s of the build failed while it was loaded: %s',
    fix: 'Mend the module that the stack names, then build again.',
  },
  HYD_PORT_IN_USE: {
    message: 'port %s on %s is in use by another process',
    fix: 'Stop that process, or choose another port with --port.',
  },
  HYD_LISTEN_FAILED: {
    message: 'cannot listen on %s port %s: %s',
    fix: 'Choose a host of this machine with --host and a port that this user may open with --port.',
  },
  HYD_DATA_UNSERIALISABLE: {
    message: 'load of %s returned data%s that cannot be sent to the browser: %s',
    fix: 'Return plain data: objects, arrays, strings, numbers, Date, Map, Set, BigInt, URL, typed arrays and promises of these.',
  },
  HYD_LOAD_TIMEOUT: {
    message: 'the loads did not finish within %s ms; pending: %s',
    fix: 'Make them faster, return the slow part as a promise, or raise timeouts.loadMs.',
    statusCode: 504,
  },
  HYD_RENDER_TIMEOUT: {
    message: 'the document was not complete within %s ms; pending: %s',
    fix: 'Find what never resolves below the named components, or raise timeouts.renderMs.',
    statusCode: 504,
  },
  HYD_REDIRECT_OUTSIDE: {
    message: 'redirect("%s") would leave the site',
    fix: 'Pass a path that starts with one slash, or a URL object to leave the site on purpose.',
  },
  HYD_REDIRECT_STATUS: {
    message: 'redirect() takes the status 301, 302, 303, 307 or 308; got %s',
    fix: 'Leave the status out, or use one of these.',
  },
  HYD_REDIRECT_LATE: {
    message: 'redirect() was called %s, when the document had already begun',
    fix: 'Call redirect() in load, before it returns.',
  },
  HYD_HTTP_ERROR_STATUS: {
    message: 'HttpError takes a status from 400 to 499; got %s',
    fix: 'Throw an ordinary Error for what is no fault of the visitor.',
  },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof errorTable

/** An error of Hydrant's own: `code` names it, `fix` says what to do. */
export type HydrantError = FastifyError & { fix: string }

/** Makes the error of that code; `values` fill the message's places, in order. */
export function createHydrantError(code: ErrorCode, values: readonly (string | number)[], cause?: unknown): HydrantError {
  const { message, fix, statusCode = 500 }: ErrorEntry = errorTable[code]
  const HydrantError = createError(code, message, statusCode)
  const error = new HydrantError(...values, ...(cause === undefined ? [] : [{ cause }]))
  error.name = 'HydrantError'
  return Object.assign(error, { fix })
}

/** Shows a value in a message as a developer would write it, cut to size. */
export function showValue(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
