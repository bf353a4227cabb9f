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
  HYD_SERVER_THREW: {
    message: 'server.ts threw %s while it started, which is no Error',
    fix: 'Throw an Error: its stack names the line.',
  },
  HYD_PORT_IN_USE: {
    message: 'port %s on %s is in use by another process',
    fix: 'Stop that process, or choose another port with --port.',
  },
  HYD_SOCKET_IN_USE: {
    message: 'the socket file %s is in use by another process',
    fix: 'Stop that process, or choose another file with --socket.',
  },
  HYD_LISTEN_FAILED: {
    message: 'cannot listen on %s: %s',
    fix: 'Choose a host of this machine with --host and a port that this user may open with --port, or a file that it may make with --socket.',
  },
  HYD_WORKERS_NESTED: {
    message: 'workers cannot be started here: this process is a worker of another program already',
    fix: 'Set "workers" to 1, and let that program decide how many there are.',
  },
  HYD_HUNG: {
    message: 'the event loop was held up for %s s',
    fix: 'Mend the loop that the stack names, do long work in a worker thread or in parts, or set "timeouts.hangMs" to more.',
  },
  HYD_LEDGER_SQLITE_MISSING: {
    message: 'the ledger %s needs the package better-sqlite3, which cannot be loaded: %s',
    fix: 'Run "npm install better-sqlite3", or before Node.js 22.14 "npm install better-sqlite3@12", or "npm rebuild better-sqlite3" when it is there, which may want g++, make and python3; or name another ledger, "postgres://…" or false.',
  },
  HYD_LEDGER_SQLITE_UNFIT: {
    message: 'the ledger %s needs another better-sqlite3: version %s would end the process on Node.js %s',
    fix: 'Run "npm install better-sqlite3@13", or before Node.js 22.14 "npm install better-sqlite3@12"; or name another ledger, "postgres://…" or false.',
  },
  HYD_LEDGER_PG_MISSING: {
    message: 'the ledger %s needs the package pg, which cannot be loaded: %s',
    fix: 'Run "npm install pg".',
  },
  HYD_LEDGER_UNWRITABLE: {
    message: 'the ledger %s cannot be written: %s',
    fix: 'Make its folder writable for the user that runs the server, or name another place: HYDRANT_LEDGER.',
  },
  HYD_LEDGER_UNREADABLE: {
    message: 'the ledger %s cannot be read: %s',
    fix: 'Read it as the user that runs the server, or let your group read the file.',
  },
  HYD_LEDGER_MISSING: {
    message: 'there is no ledger %s',
    fix: 'Name the folder of the site that failed, or its ledger with HYDRANT_LEDGER; the first failure makes the file. "--dev" reads that of hydrant dev.',
  },
  HYD_LEDGER_NEWER: {
    message: 'the ledger %s has format %s; this version of hydrant knows those up to %s',
    fix: 'Use the newest hydrant that has written it, or name another ledger.',
  },
  HYD_LEDGER_DAMAGED: {
    message: 'the ledger %s is damaged: %s',
    fix: 'Start the site: it moves the file aside and begins a new one.',
  },
  HYD_LEDGER_FAILED: {
    message: 'the ledger %s failed: %s',
    fix: 'See that its disk has room and that no other program holds it.',
  },
  HYD_LEDGER_UNREACHABLE: {
    message: 'the ledger %s cannot be reached: %s',
    fix: 'See that PostgreSQL runs there and that this machine may connect to it.',
  },
  HYD_LEDGER_THREAD: {
    message: 'the thread of the ledger has ended: %s',
    fix: 'Mend what the message names; the thread is started again when it is needed.',
  },
  HYD_OPTION_ADMIN_TOKEN: {
    message: 'the admin listener on %s could be used by anybody who reaches this machine',
    fix: 'Set HYDRANT_ADMIN_TOKEN to a secret of at least 16 characters, or let it listen on 127.0.0.1 with --admin 9320.',
  },
  HYD_ADMIN_PORT_IN_USE: {
    message: 'port %s on %s, for the admin listener, is in use by another process',
    fix: 'Stop that process, or choose another port with --admin <port>.',
  },
  HYD_ADMIN_LISTEN_FAILED: {
    message: 'the admin listener cannot listen on %s port %s: %s',
    fix: 'Choose an address of this machine with --admin <address>, or do without it: --admin false.',
  },
  HYD_ADMIN_UNGUARDED: {
    message: 'hydrant.admin would let everybody in: it has no token, and "auth" is not "app"',
    fix: 'Set HYDRANT_ADMIN_TOKEN to a secret of at least 16 characters, or register it with auth: "app" in a scope whose onRequest hook lets only operators pass.',
  },
  HYD_SITE_UNKNOWN: {
    message: 'this app serves no site%s; its sites are: %s',
    fix: 'Register the site first, with "await app.register(hydrant, …)", and name the base at which it is mounted.',
  },
  HYD_BASE_TAKEN: {
    message: '%s cannot be mounted at "%s": %s is mounted there',
    fix: 'Give one of them another "base", or register it with another "prefix".',
  },
  HYD_HOOK_TIMEOUT: {
    message: 'an onError hook has not ended within %s ms',
    fix: 'Let every onError hook call done, or let its promise settle; do slow work after that.',
  },
  HYD_DATA_UNSERIALISABLE: {
    message: '%s of %s returned data%s that cannot be sent to the browser: %s',
    fix: 'Return plain data: objects, arrays, strings, numbers, Date, Map, Set, BigInt, URL, typed arrays; from load also promises of these.',
  },
  HYD_LOAD_TIMEOUT: {
    message: 'the loads did not finish within %s ms; pending: %s',
    fix: 'Make them faster, return the slow part as a promise, or raise timeouts.loadMs.',
    statusCode: 504,
  },
  HYD_ACTION_TIMEOUT: {
    message: 'the action of %s did not finish within %s ms',
    fix: 'Make it faster, leave the slow part to a queue, or raise timeouts.loadMs.',
    statusCode: 504,
  },
  HYD_ACTION_PROMISE: {
    message: 'the action of %s returned a promise inside of its data: %s',
    fix: 'Await it before the action returns.',
  },
  HYD_RENDER_TIMEOUT: {
    message: 'the document was not complete within %s ms; pending: %s',
    fix: 'Find what never resolves below the named components, or raise timeouts.renderMs.',
    statusCode: 504,
  },
  HYD_DOCUMENT_TOO_LONG: {
    message: 'the document is longer than %s characters',
    fix: 'Show less at a time, one page after another, or raise limits.maxDocumentLength.',
  },
  HYD_REACT_SERVER_MIXED: {
    message: 'reactServer is "%s" here, but another site of this process has loaded "%s"',
    fix: 'Give all sites of one process the same reactServer.',
  },
  HYD_REACT_DEVELOPMENT: {
    message:
      'this is a production build, but React has been loaded in its development build, which sends the messages and stacks of errors to visitors',
    fix: 'Start the process with NODE_ENV=production in its environment, so that it is set before React is imported.',
  },
  HYD_REACT_MIXED: {
    message: 'parts of React have been loaded in different builds: %s',
    fix: 'Set NODE_ENV in the environment of the process, not in its code: it must not change once React or hydrant has been imported.',
  },
  HYD_POLICY_SCRIPTS: {
    message: 'the Content-Security-Policy (%s) of %s keeps the scripts of the page from running: %s',
    fix: 'Let the policy name the nonce of the document, which a hook sets as reply.cspNonce = { script }: with @fastify/helmet by enableCSPNonces: true. docs/security.md tells how.',
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
    fix: 'Call redirect() in load or in action, before it returns.',
  },
  HYD_HTTP_ERROR_STATUS: {
    message: 'HttpError takes a status from 400 to 499; got %s',
    fix: 'Throw an ordinary Error for what is no fault of the visitor.',
  },
  HYD_BUILD_FAILED: {
    message: 'the build failed with %s',
    fix: 'Mend what is listed; nothing of the last build was changed.',
  },
  HYD_BUILD_PAGES_MISSING: {
    message: 'there is no folder pages/ in the site',
    fix: 'Create pages/index.tsx with a component as its default export, or name the site’s folder: "hydrant build <dir>".',
  },
  HYD_BUILD_URL_TAKEN: {
    message: '%s and %s both answer %s',
    fix: 'Rename or remove one of the two.',
  },
  HYD_BUILD_FILE_TWICE: {
    message: '%s and %s are the same part of the site',
    fix: 'Keep one of the two.',
  },
  HYD_BUILD_SEGMENT: {
    message: 'the segment "%s" %s',
    fix: 'Name it like "about", "[id]", "[...path]" at the end of a path, or "(group)" for a folder.',
  },
  HYD_BUILD_PARAM_TWICE: {
    message: 'the parameter "%s" stands twice in %s',
    fix: 'Give each parameter of a path a name of its own.',
  },
  HYD_BUILD_RESERVED: {
    message: '%s would answer below %s, which is Hydrant’s own',
    fix: 'Rename it.',
  },
  HYD_BUILD_EXTENSION: {
    message: '%s has the name of a site’s %s but ends in .%s',
    fix: 'Let it end in .tsx or .jsx, or give it another name.',
  },
  HYD_BUILD_NO_COMPONENT: {
    message: '%s has no default export; a %s file needs a component',
    fix: 'Write "export default function …", or move a module that is no page into a folder that starts with "_".',
  },
  HYD_BUILD_NO_PLUGIN: {
    message: '%s has no default export; it needs a Fastify plugin',
    fix: 'Write "export default async function server(app) {}".',
  },
  HYD_BUILD_NO_CONFIG: {
    message: '%s has no default export; it needs the site’s configuration',
    fix: 'Write "export default defineConfig({})".',
  },
  HYD_BUILD_SERVER_EXPORT: {
    message: 'unknown export "%s"; the server file of a %s may export %s%s',
    fix: 'Rename it, or move it into another module.',
  },
  HYD_BUILD_SERVER_ORPHAN: {
    message: '%s belongs to no page or layout',
    fix: 'Name it after the page or layout beside it, or move it out of pages/ or into a folder that starts with "_".',
  },
  HYD_BUILD_SERVER_IN_BROWSER: {
    message: 'the browser cannot have %s: %s',
    fix: 'Import only its types ("import type"), or move the code that needs it into a ".server" file.',
  },
  HYD_BUILD_SYNTAX: {
    message: '%s',
    fix: 'Correct the source at that place.',
  },
  HYD_BUILD_UNRESOLVED: {
    message: 'cannot find "%s"',
    fix: 'Correct the path, or install the package.',
  },
  HYD_BUILD_IMPORT_NAME: {
    message: '"%s" has no export "%s"',
    fix: 'Correct the name, or export it there.',
  },
  HYD_BUILD_LOADER: {
    message: 'there is no loader for "%s" files',
    fix: 'Name one in hydrant.config.ts: esbuild.loader.',
  },
  HYD_BUILD_COMPOSES: {
    message: 'the classes of %s compose each other in a circle',
    fix: 'Take one "composes" out of the circle.',
  },
  HYD_BUILD_PLUGIN: {
    message: 'the esbuild plugin "%s" failed: %s',
    fix: 'Mend or remove it in hydrant.config.ts: esbuild.plugins.',
  },
  HYD_BUILD_CONFIG: {
    message: '%s failed while it was loaded: %s',
    fix: 'Mend the configuration, then build again.',
  },
  HYD_BUILD_PUBLIC_LINK: {
    message: '%s is a symbolic link that leads out of public/',
    fix: 'Copy into public/ what visitors may see.',
  },
  HYD_BUILD_WRITE: {
    message: 'cannot write the build in %s: %s',
    fix: 'Make that folder writable and see that the disk has room.',
  },
  HYD_DIGEST_UNKNOWN: {
    message: 'the ledger %s has no failure %s%s',
    fix: 'Run "hydrant errors" for a list of those it has; failures leave it by their age and number.',
  },
  HYD_LEDGER_OFF: {
    message: 'the site in %s keeps no ledger: "ledger" is false',
    fix: 'Look the digest up in the log, or set "ledger" to a file or to "postgres://…" for the failures to come.',
  },
  HYD_CLI_USAGE: {
    message: '%s',
    fix: 'Run "hydrant --help", or "hydrant <command> --help".',
  },
  HYD_CLI_DIR: {
    message: '"%s" is no folder',
    fix: 'Name the folder of the site.',
  },
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof errorTable

/** An error of Hydrant's own: `code` names it, `fix` says what to do. */
export type HydrantError = FastifyError & { fix: string }

/** Makes the error of that code; `values` fill the message's places, in order. */
export function createHydrantError(
  code: ErrorCode,
  values: readonly (string | number)[],
  cause?: unknown,
): HydrantError {
  const { message, fix, statusCode = 500 }: ErrorEntry = errorTable[code]
  const HydrantError = createError(code, message, statusCode)
  // Pino tells an error's type by its constructor.
  Object.defineProperty(HydrantError, 'name', { value: 'HydrantError' })
  const error = new HydrantError(...values, ...(cause === undefined ? [] : [{ cause }]))
  error.name = 'HydrantError'
  // Again, for a stack that begins with that name and with the caller.
  Error.captureStackTrace(error, createHydrantError)
  return Object.assign(error, { fix })
}

/** Shows a value in a message as a developer would write it, cut to size. */
export function showValue(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
