export interface ErrorEntry {
  /** Each `%s` is replaced by a value, in order. */
  message: string
  /** One imperative sentence. */
  fix: string
  /** HTTP status when the error is thrown in a request (500). */
  statusCode?: number
}

/** All errors that Hydrant throws. A code is never reused. The build writes `docs/errors.md` from it. */
export const errorTable = {
  HYD_OPTION_UNKNOWN: {
    message: 'unknown option "%s"%s',
    fix: 'Correct the name, or remove the option; "hydrant docs options" lists all options.',
  },
  HYD_OPTION_INVALID: {
    message: '"%s" must be %s; got %s',
    fix: 'Correct the value where it is set: on the command line, in the environment, in hydrant.config.ts or in the plugin’s options.',
  },
  HYD_ENV_UNREADABLE: {
    message: 'the environment variables in %s cannot be read: %s',
    fix: 'Make it a file that this user may read, or remove it.',
  },
  HYD_BUILD_MISSING: {
    message: 'there is no build in %s',
    fix: 'Run "hydrant build" for this site first, or pass the folder of a site that has been built.',
  },
  HYD_BUILD_INCOMPLETE: {
    message: 'the build in %s is incomplete: %s',
    fix: 'Copy the complete build folder, or run "hydrant build" again and let it finish.',
  },
  HYD_BUILD_VERSION: {
    message: 'the build in %s was written by hydrant %s; this is hydrant %s',
    fix: 'Run "hydrant build" again with the installed version.',
  },
  HYD_BUILD_BROKEN: {
    message: '%s of the build failed to load: %s',
    fix: 'Fix the module that the stack names, or install the package that is missing, then build again.',
  },
  HYD_CACHE_INVALID: {
    message: 'the export "cache" of %s is not valid: %s',
    fix: 'Correct the export, for example: { maxAgeS: 60, staleS: 600, tags: ["products"], search: ["page"] }; "hydrant docs cache" explains each property.',
  },
  HYD_CACHE_TAGS: {
    message: '"cache.tags" of %s must be a list of at most 100 tags, each a string that is not empty; got %s',
    fix: 'Return at most 100 tags such as "product:7".',
  },
  HYD_CACHE_INVALIDATE: {
    message: 'the argument of app.pageCache.invalidate() is not valid: %s',
    fix: 'Name the responses to remove: invalidate({ tags: ["product:7"] }) or invalidate({ path: "/products/7" }).',
  },
  HYD_LIVE_TOPICS: {
    message: '"live" of %s must return a list of at most 100 topics, each a string that is not empty; got %s',
    fix: 'Return at most 100 topics such as "product:7".',
  },
  HYD_LIVE_TOPIC: {
    message: 'app.live.publish() takes topics, each a string that is not empty; got %s',
    fix: 'Name at least one topic: app.live.publish("product:7").',
  },
  HYD_CACHE_PERSONAL: {
    message: 'the response of a page with the export "cache" in %s is not stored: %s',
    fix: 'Remove the read, the header or the script that the message names if the page does not need it, load the part that differs for each visitor with "loadVisitor" or in the browser, or remove the export "cache".',
  },
  HYD_PRERENDER_INVALID: {
    message: 'the export "prerender" of %s is not valid: %s',
    fix: 'Write export const prerender = true for a page without parameters, or, in the server file of a page with parameters, a function that returns a list: export const prerender = () => [{ params: { id: "7" } }].',
  },
  HYD_PRERENDER_SERVER: {
    message: 'the page %s cannot be prerendered: %s',
    fix: 'Remove the export "prerender" from the page, or remove the part that the message names.',
  },
  HYD_PRERENDER_PERSONAL: {
    message: 'the response of %s, which is prerendered, is not the same for every visitor: %s',
    fix: 'Remove the read, the header or the script that the message names if the page does not need it, load the part that differs for each visitor in the browser, or remove the export "prerender".',
  },
  HYD_PRERENDER_FAILED: {
    message: 'the page %s failed while it was prerendered: %s',
    fix: 'Correct the error, or give the build the environment variables and the database that the page needs.',
  },
  HYD_PRERENDER_RESPONSE: {
    message: 'the page %s cannot be prerendered: %s',
    fix: 'List only addresses of existing pages, or remove the export "prerender" if the page refuses requests or a hook responds in its place.',
  },
  HYD_PRERENDER_START: {
    message: 'the site could not be loaded, so its pages were not prerendered: %s',
    fix: 'Correct the error, or give the build the environment variables and the services that server.ts needs; "hydrant start" would fail in the same way.',
  },
  HYD_PRERENDER_STOPPED: {
    message: 'the process that prerenders pages ended with %s before it was done',
    fix: 'Read the output above, and look for a call of process.exit or an out-of-memory error.',
  },
  HYD_SERVER_THREW: {
    message: 'during startup, server.ts threw a value that is not an Error: %s',
    fix: 'Throw an Error instead: its stack names the line.',
  },
  HYD_PORT_IN_USE: {
    message: 'port %s on %s is in use by %s',
    fix: 'Stop that process, or choose another port with --port.',
  },
  HYD_SOCKET_IN_USE: {
    message: 'the socket file %s is in use by another process',
    fix: 'Stop that process, or choose another file with --socket.',
  },
  HYD_LISTEN_FAILED: {
    message: 'cannot listen on %s: %s',
    fix: 'Use --host with an address of this machine, --port with a port that this user may open, or --socket with a file that this user may create.',
  },
  HYD_WORKERS_NESTED: {
    message: 'cannot start workers: this process is already a worker of another program',
    fix: 'Set "workers" to 1, and let the other program decide how many processes run.',
  },
  HYD_START_TIMEOUT: {
    message: 'the site did not start within %s ms: %s',
    fix: 'Find the promise that does not settle, or the call of "done" that is missing. If the start needs longer, raise "timeouts.startMs".',
  },
  HYD_HUNG: {
    message: 'the event loop was blocked for %s s',
    fix: 'Fix the code that the stack names (move long work to a worker thread, or split it into parts), or raise "timeouts.hangMs".',
  },
  HYD_LEDGER_SQLITE_MISSING: {
    message: 'the ledger %s needs the package @photostructure/sqlite, which cannot be loaded: %s',
    fix: 'Use Node.js 22.13 or newer, run "npm install @photostructure/sqlite@1", or set another ledger ("postgres://…" or false); if the package is installed but has no binary for this machine, run "npm rebuild @photostructure/sqlite", which needs g++, make and python3.',
  },
  HYD_LEDGER_PG_MISSING: {
    message: 'the ledger %s needs the package pg, which cannot be loaded: %s',
    fix: 'Run "npm install pg".',
  },
  HYD_LEDGER_UNWRITABLE: {
    message: 'the ledger %s cannot be written: %s',
    fix: 'Make its folder writable for the user that runs the server, or set HYDRANT_LEDGER to another file.',
  },
  HYD_LEDGER_UNREADABLE: {
    message: 'the ledger %s cannot be read: %s',
    fix: 'Run the command as the user that runs the server, or give your group permission to read the file (chmod g+r).',
  },
  HYD_LEDGER_MISSING: {
    message: 'there is no ledger at %s',
    fix: 'Pass the site’s folder, name the ledger with --ledger or HYDRANT_LEDGER, or pass --dev to read the ledger of "hydrant dev"; the first failure creates the ledger.',
  },
  HYD_LEDGER_FOREIGN: {
    message: 'the file %s is not a ledger of Hydrant: %s',
    fix: 'Name a ledger, or a file that does not exist yet, with "ledger" or HYDRANT_LEDGER ("hydrant errors" also with --ledger); if this file is a damaged ledger, rename it.',
  },
  HYD_LEDGER_NEWER: {
    message: 'the ledger %s has format %s; this version of hydrant supports formats up to %s',
    fix: 'Install the version of hydrant that wrote this ledger, or set another ledger.',
  },
  HYD_LEDGER_DAMAGED: {
    message: 'the ledger %s is damaged: %s',
    fix: 'Start the site, which renames the damaged file and creates a new ledger.',
  },
  HYD_LEDGER_FAILED: {
    message: 'the ledger %s failed: %s',
    fix: 'Fix the problem that the message names: free disk space, stop the program that has locked the ledger, or correct the user, the password or the database in its URL.',
  },
  HYD_LEDGER_UNREACHABLE: {
    message: 'the ledger %s cannot be reached: %s',
    fix: 'Check that PostgreSQL is running there and accepts connections from this machine.',
  },
  HYD_LEDGER_THREAD: {
    message: 'the thread of the ledger has stopped: %s',
    fix: 'Fix the problem that the message names; the next failure starts the thread again.',
  },
  HYD_CACHE_STORE_PACKAGE: {
    message: 'the store of the page cache, %s, needs the package %s, which cannot be loaded: %s',
    fix: 'Run "npm install iovalkey" for a store with valkey:// or redis://, or "npm install pg" for one with postgres://.',
  },
  HYD_CACHE_STORE_NEWER: {
    message: 'the store of the page cache, %s, has format %s; this version of hydrant supports formats up to %s',
    fix: 'Install the newer version of hydrant on all machines, or set another "pageCache.store".',
  },
  HYD_OPTION_ADMIN_TOKEN: {
    message: 'the admin listener on %s has no token, so everyone who can reach this machine could use it',
    fix: 'Set HYDRANT_ADMIN_TOKEN to a secret of at least 16 characters, or listen on 127.0.0.1 with --admin 127.0.0.1:9320.',
  },
  HYD_ADMIN_PORT_IN_USE: {
    message: 'port %s on %s, for the admin listener, is in use by another process',
    fix: 'Stop that process, or choose another port with --admin <port>.',
  },
  HYD_ADMIN_LISTEN_FAILED: {
    message: 'the admin listener cannot listen on %s port %s: %s',
    fix: 'Choose an address of this machine with --admin <address>, or turn the listener off with --admin false.',
  },
  HYD_ADMIN_UNGUARDED: {
    message: 'hydrant.admin would be open to everyone: it has no token, and "auth" is not "app"',
    fix: 'Set HYDRANT_ADMIN_TOKEN to a secret of at least 16 characters, or register hydrant.admin with auth: "app" in a scope whose onRequest hook admits only operators.',
  },
  HYD_SITE_UNKNOWN: {
    message: 'this app has no site%s; it has %s',
    fix: 'Register the site first with "await app.register(hydrant, …)", and set "site" to the base at which it is mounted, or leave "site" out.',
  },
  HYD_BASE_TAKEN: {
    message: '%s cannot be mounted at "%s": %s is already mounted there',
    fix: 'Give one of them another "base", or register it with another "prefix".',
  },
  HYD_HOOK_TIMEOUT: {
    message: 'an onError hook did not finish within %s ms',
    fix: 'Make every onError hook call done or settle its promise, and do slow work after that.',
  },
  HYD_DATA_UNSERIALISABLE: {
    message: '%s of %s returned data%s, which cannot be sent to the browser: %s',
    fix: 'Return plain data: objects, arrays, strings, numbers, Date, Map, Set, BigInt, URL, typed arrays; a load may also return promises of these; see "hydrant docs loads".',
  },
  HYD_FUNCTION_EXPORT: {
    message: 'the export "%s" of %s must be a function; got %s',
    fix: 'Export a function: export async function load(ctx) { … }, or action(ctx); see "hydrant docs loads".',
  },
  HYD_ACTIONS_EXPORT: {
    message: 'the export "actions" of %s %s',
    fix: 'Export an object without "action" and "form" beside it: export const actions = { comment: { form: schema, action({ input }) { … } } }; see "hydrant docs http".',
  },
  HYD_COMPONENT_EXPORT: {
    message: 'the default export of %s must be a component; got %s',
    fix: 'Export a function that returns elements: export default function Page() { return <p>…</p> }.',
  },
  HYD_HYDRATE_EXPORT: {
    message: 'the export "hydrate" of %s must be false; got %s',
    fix: 'Write export const hydrate = false for a page without scripts, or remove the export.',
  },
  HYD_VISITOR_LOAD: {
    message: 'the export "loadVisitor" of %s %s',
    fix: 'Export a function next to "cache": export const loadVisitor = (ctx) => …; without "cache", load everything in "load".',
  },
  HYD_GUARD_EXPORT: {
    message: 'the guard of %s must be a function; got %s',
    fix: 'Export a function: export function guard(ctx) { … }; see "hydrant docs guards".',
  },
  HYD_GUARD_TIMEOUT: {
    message: 'the guards did not finish within %s ms; pending: guard of %s',
    fix: 'Make the guard faster, or raise "timeouts.loadMs".',
    statusCode: 504,
  },
  HYD_GUARD_RESULT: {
    message: 'the guard of %s must return a plain object or undefined; got %s',
    fix: 'Return an object with the properties to add to ctx.context, such as { user }; to refuse a request, call redirect() or notFound(), or throw an HttpError; see "hydrant docs guards".',
  },
  HYD_SIGNAL_CAUGHT: {
    message: '%s in %s has not reached Hydrant, probably because of a try with a catch around it',
    fix: 'Call it outside of the try, or pass on what is no error: catch (error) { if (!(error instanceof Error)) throw error; … }.',
  },
  HYD_RESPONSE_INCOMPLETE: {
    message: 'the response that app.routing() was called with has no method "%s"',
    fix: 'Pass a ServerResponse of node:http, or an object with all of its methods for headers, events and writing; or use app.inject().',
  },
  HYD_PER_REQUEST: {
    message: 'a function that perRequest() returned was called without a request; its first argument is %s',
    fix: 'Pass the ctx of a guard, load or action, or an object with the request: { request }.',
  },
  HYD_LOAD_TIMEOUT: {
    message: 'the loads did not finish within %s ms; pending: %s',
    fix: 'Make the pending loads faster, return the slow part as a promise, or raise "timeouts.loadMs"; see "hydrant docs loads".',
    statusCode: 504,
  },
  HYD_AWAIT_TIMEOUT: {
    message: 'the top-level await of %s has not settled within %s seconds',
    fix: 'Find the promise that never settles, or await it in a load instead.',
  },
  HYD_SCHEMA_INVALID: {
    message: 'the export "%s" of %s must be a Standard Schema; got %s',
    fix: 'Export a schema of zod, valibot, arktype or another library that implements Standard Schema; see "hydrant docs forms".',
  },
  HYD_SCHEMA_TIMEOUT: {
    message: 'the schema "%s" of %s did not finish within %s ms',
    fix: 'Speed up the work that the schema waits for, or raise "timeouts.loadMs".',
    statusCode: 504,
  },
  HYD_INVALID_FORM: {
    message: 'invalidForm() was called outside of an action',
    fix: 'Call invalidForm() in an action, or use HttpError for other refusals; see "hydrant docs forms".',
  },
  HYD_FORM_FIELD: {
    message: 'invalidForm() at %s has a message for "%s", which is no field of the schema "form"%s',
    fix: 'Use the name of a field of the schema, or the empty name for a message about the whole form.',
  },
  HYD_UPLOAD_UNWRITABLE: {
    message: 'an uploaded file cannot be written to %s: %s',
    fix: 'Free space in this folder and make it writable for the user that runs the server, or set TMPDIR to another folder.',
  },
  HYD_ACTION_TIMEOUT: {
    message: 'the action of %s did not finish within %s ms',
    fix: 'Make the action faster, move its slow part to a queue, or raise "timeouts.loadMs".',
    statusCode: 504,
  },
  HYD_ACTION_PROMISE: {
    message: 'the action of %s returned data that contains a promise: %s',
    fix: 'Await the promise before the action returns.',
  },
  HYD_RENDER_TIMEOUT: {
    message: 'the document was not complete within %s ms; pending: %s',
    fix: 'Find the promise or component that never settles, or raise "timeouts.renderMs".',
    statusCode: 504,
  },
  HYD_MARKDOWN_FAILED: {
    message: 'the document could not be converted to Markdown: %s',
    fix: 'Show less on the page, or set "markdown" to false.',
  },
  HYD_DOCUMENT_TOO_LONG: {
    message: 'the document is longer than %s characters',
    fix: 'Show less on one page, or raise "limits.maxDocumentLength".',
  },
  HYD_REACT_SERVER_MIXED: {
    message: '"reactServer" is "%s" here, but another site in this process has already loaded "%s"',
    fix: 'Give all sites in one process the same "reactServer".',
  },
  HYD_REACT_DEVELOPMENT: {
    message:
      'this is a production build, but the process has loaded the development build of React, which sends the messages and stacks of errors to visitors',
    fix: 'Start the process with NODE_ENV=production in its environment, so that it is set before React is imported.',
  },
  HYD_REACT_MIXED: {
    message: 'the process has loaded parts of React from different builds: %s',
    fix: 'Set NODE_ENV in the environment of the process, not in its code; it must not change after React or hydrant is imported.',
  },
  HYD_REACT_VERSION: {
    message: 'Hydrant needs react and react-dom 19.2 or newer; the site has %s',
    fix: 'Run "npm install react@19 react-dom@19" in the folder of the site; see "hydrant docs upgrading".',
  },
  HYD_PLUG_AND_PLAY: {
    message: "the packages are in the archives of Yarn's Plug'n'Play; Hydrant needs them in node_modules",
    fix: 'Write "nodeLinker: node-modules" into .yarnrc.yml in the root of the project, and run "yarn install".',
  },
  HYD_HOOK_PLACE: {
    message: '%s is called outside of %s',
    fix: 'Call the hook in a component that the layout or the page renders; in a test, wrap the component with createPageWrapper() of hydrant/test.',
  },
  HYD_LAYOUT_HTML: {
    message:
      '%s does not render <html>, so the documents have no doctype, no <head> and no language; the first one was %s',
    fix: 'Render <html lang="en">, <head> and <body> around the children, or remove the file, and Hydrant renders them; see "hydrant docs layouts".',
  },
  HYD_POLICY_SCRIPTS: {
    message: 'the Content-Security-Policy (%s) of %s blocks the scripts of the page: %s',
    fix: 'Add a nonce to the policy and set the same nonce as reply.cspNonce = { script }, in a hook or with @fastify/helmet (enableCSPNonces: true), as "hydrant docs security" explains.',
  },
  HYD_REDIRECT_OUTSIDE: {
    message: 'redirect(%s) would leave the site',
    fix: 'Pass a path that starts with a single slash, or an http or https URL object to leave the site on purpose. Pass a path from a request through localPath() first.',
  },
  HYD_REDIRECT_STATUS: {
    message: 'the status of redirect() must be 301, 302, 303, 307 or 308; got %s',
    fix: 'Leave the status out, or use one of these.',
  },
  HYD_REDIRECT_LATE: {
    message: 'redirect() was called %s, after the document had begun',
    fix: 'Call redirect() in load or action, before it returns; see "hydrant docs loads".',
  },
  HYD_HEADER_LATE: {
    message: '%s sets the %s %s after the response has begun, so it is not sent',
    fix: 'Set headers, cookies and the status before the load returns, or await the promise in the load.',
  },
  HYD_HTTP_ERROR_STATUS: {
    message: 'the status of an HttpError must be a number from 400 to 499; got %s',
    fix: 'Pass a number from 400 to 499, such as 403, or throw an ordinary Error for a fault that is not the visitor’s; see "hydrant docs failures".',
  },
  HYD_BUILD_FAILED: {
    message: 'the build failed with %s',
    fix: 'Fix the errors that are listed above this one.',
  },
  HYD_BUILD_PAGES_MISSING: {
    message: 'the site has no folder pages/%s',
    fix: 'Create a new site with "npx hydrant create my-site", write pages/index.tsx (see "hydrant docs first-page"), or pass the site’s folder to the command.',
  },
  HYD_BUILD_URL_TAKEN: {
    message: '%s and %s have the same URL, %s',
    fix: 'Rename or remove one of the two.',
  },
  HYD_BUILD_FILE_TWICE: {
    message: '%s and %s define the same part of the site',
    fix: 'Remove one of the two.',
  },
  HYD_BUILD_SEGMENT: {
    message: 'the segment "%s" %s',
    fix: 'Name it like "about", "[id]", "[...path]" at the end of a path, or "(group)" for a folder.',
  },
  HYD_BUILD_PARAM_TWICE: {
    message: 'the parameter "%s" occurs twice in %s',
    fix: 'Give each parameter of a path its own name.',
  },
  HYD_BUILD_RESERVED: {
    message: '%s would have a URL below %s, which is reserved for Hydrant',
    fix: 'Rename the file or its folder.',
  },
  HYD_BUILD_EXTENSION: {
    message: '%s is named like a %s file, but its extension is .%s',
    fix: 'Change the extension to .tsx or .jsx, or give the file another name.',
  },
  HYD_BUILD_NO_COMPONENT: {
    message: '%s has no default export; a %s file needs a component%s',
    fix: 'Write "export default function …", or move a module that is not a page to a folder whose name starts with "_".',
  },
  HYD_BUILD_NO_PLUGIN: {
    message: '%s has no default export; it needs a Fastify plugin%s',
    fix: 'Write "export default async function server(app) {}"; see "hydrant docs sessions".',
  },
  HYD_BUILD_NO_CONFIG: {
    message: '%s has no default export; it needs the site’s configuration%s',
    fix: 'Write "export default defineConfig({})"; see "hydrant docs options".',
  },
  HYD_BUILD_SERVER_EXPORT: {
    message: 'unknown export "%s"; the server file of a %s may export %s%s',
    fix: 'Rename the export, or move it to another module; see "hydrant docs loads".',
  },
  HYD_BUILD_FILE_NAME: {
    message: '%s is %s; did you mean %s?',
    fix: 'Rename or move the file, or ignore this warning if the name is intended.',
  },
  HYD_BUILD_PAGE_EXPORT: {
    message: '%s exports "%s", which has no effect there; %s',
    fix: 'Rename the export, move it to the file that the message names, or remove it; see "hydrant docs loads".',
  },
  HYD_BUILD_ASYNC_COMPONENT: {
    message: 'the component of %s is an async function, which browsers cannot render',
    fix: 'Await the data in the load of the server file, and read it from the prop "data"; see "hydrant docs loads".',
  },
  HYD_BUILD_HTML_ELEMENT: {
    message: '%s renders <html> inside the <html> of the root layout, whose attributes the document has',
    fix: 'Render <html>, <head> and <body> in pages/layout.tsx only; its prop "url" has the address; see "hydrant docs languages".',
  },
  HYD_BUILD_STYLESHEET_NAMES: {
    message: '%s has no class names to import, because its name does not end in ".module%s"',
    fix: 'Rename the stylesheet, or import it without a name: import "./card.css"; see "hydrant docs styling".',
  },
  HYD_BUILD_CLASS_NAME: {
    message: '%s has no class "%s"%s',
    fix: 'Correct the name, or add the class to the stylesheet: the name is undefined; see "hydrant docs styling".',
  },
  HYD_BUILD_TSCONFIG: {
    message: '%s sets "%s", which the compiler esbuild ignores: %s',
    fix: 'Remove the option.',
  },
  HYD_BUILD_FORM_UNUSED: {
    message: '%s exports the schema "form" without an action, so its page refuses forms with 405',
    fix: 'Export a function: export async function action({ input }) { … }; see "hydrant docs forms".',
  },
  HYD_BUILD_EXPORT_VALUE: {
    message: 'the export "%s" of %s has no effect with the value %s%s',
    fix: 'Write the value false, or remove the export; "hydrant docs cache" explains how pages are stored.',
  },
  HYD_BUILD_EXPORT_ALL: {
    message: '%s exports everything of "%s", and the build does not read those names',
    fix: 'Name the exports, for example "export { load, action } from …". Types need "export type *".',
  },
  HYD_BUILD_SERVER_ORPHAN: {
    message: '%s belongs to no page or layout%s',
    fix: 'Name it after a page or layout in the same folder, or move it out of pages/ or to a folder whose name starts with "_".',
  },
  HYD_BUILD_SERVER_IN_BROWSER: {
    message: 'browser code imports %s, which only the server may use: %s',
    fix: 'Import only its types ("import type"), or move the code that needs it to a ".server" file; see "hydrant docs loads".',
  },
  HYD_BUILD_SYNTAX: {
    message: '%s',
    fix: 'Correct the source at that place.',
  },
  HYD_BUILD_UNRESOLVED: {
    message: 'cannot find "%s"%s',
    fix: 'Correct the path, or install the package.',
  },
  HYD_BUILD_IMPORT_NAME: {
    message: '"%s" has no export "%s"%s',
    fix: 'Correct the name, import a type with "import type", or export the name there if the module is yours.',
  },
  HYD_BUILD_USE_SERVER: {
    message: '%s has the directive "use server", and the browser would get its code',
    fix: 'Move the code to the action in the server file of the page: export function action({ form }) { … }; see "hydrant docs forms".',
  },
  HYD_BUILD_LOADER: {
    message: 'there is no loader for "%s" files',
    fix: 'Set a loader for them with "esbuild.loader" in hydrant.config.ts; see "hydrant docs options".',
  },
  HYD_BUILD_MDX: {
    message: 'no plugin in hydrant.config.ts compiles %s',
    fix: 'Run "npm install --save-dev @mdx-js/esbuild", import mdx from it, and add mdx() to "esbuild.plugins".',
  },
  HYD_BUILD_COMPOSES: {
    message: 'the classes of %s compose each other in a circle',
    fix: 'Remove one "composes" from the circle.',
  },
  HYD_BUILD_PLUGIN: {
    message: 'the esbuild plugin "%s" failed: %s',
    fix: 'Fix the plugin, or remove it from "esbuild.plugins" in hydrant.config.ts.',
  },
  HYD_BUILD_TAILWIND: {
    message: 'Tailwind CSS cannot be loaded: %s',
    fix: 'Run "npm install --save-dev tailwindcss @tailwindcss/node @tailwindcss/oxide".',
  },
  HYD_BUILD_REACT_COMPILER: {
    message: 'React Compiler cannot be loaded: %s',
    fix: 'Run "npm install --save-dev oxc-transform-react", or remove "reactCompiler" from hydrant.config.ts.',
  },
  HYD_BUILD_IMAGE: {
    message: 'the image %s cannot be used: %s',
    fix: 'Replace it with a file that a browser displays, or import it without "?image", which gives only its URL.',
  },
  HYD_BUILD_SHARP: {
    message: 'the images have no copies in AVIF and WebP, because sharp cannot be loaded: %s',
    fix: 'Run "npm install --save-dev sharp" on the machine that builds: sharp has a binary for each platform.',
  },
  HYD_BUILD_CONFIG: {
    message: '%s failed to load: %s',
    fix: 'Fix the configuration, then build again.',
  },
  HYD_BUILD_PUBLIC_NAME: {
    message: 'the path of %s contains "%s", which has a meaning in routes or URLs',
    fix: 'Rename the file or its folder without the characters * : ? # and \\.',
  },
  HYD_BUILD_LINK: {
    message: '%s is a symbolic link %s',
    fix: 'Correct the link, or remove it.',
  },
  HYD_BUILD_PUBLIC_LINK: {
    message: '%s is a symbolic link whose target is missing or outside of public/',
    fix: 'Replace the link with a copy of the file, which every visitor can then read.',
  },
  HYD_BUILD_WRITE: {
    message: 'cannot write %s: %s',
    fix: 'Make the site’s folder writable, and check that the disk has free space.',
  },
  HYD_EXPORT_NEEDS_SERVER: {
    message: '%s needs a server, and an exported site has none',
    fix: 'Remove this part of the site, or serve the site with "hydrant start".',
  },
  HYD_EXPORT_NOT_PRERENDERED: {
    message: 'the page %s is not prerendered, and an exported site has no server that renders it',
    fix: 'Export "prerender" from the page’s server file, or from its own module if it has none; or serve the site with "hydrant start".',
  },
  HYD_EXPORT_FOLDER: {
    message: 'the export cannot replace %s: %s',
    fix: 'Use --out to choose a new or empty folder outside of pages/, public/ and .hydrant/.',
  },
  HYD_EXPORT_FILE: {
    message: 'the export cannot write %s: %s',
    fix: 'Change the address of the page or the name of the file.',
  },
  HYD_EXPORT_PAGE: {
    message: 'the page %s cannot be exported: %s',
    fix: 'Correct what the message names: each document needs a <head>, and the page for unknown paths needs the status 404.',
  },
  HYD_DIGEST_UNKNOWN: {
    message: 'the ledger %s has no failure %s%s',
    fix: 'Run "hydrant errors" to list the failures that are still in the ledger, add --dev if the failure occurred under "hydrant dev", or search the log for the digest.',
  },
  HYD_REQUEST_UNKNOWN: {
    message: 'the ledger %s has no times of the request %s',
    fix: 'Run "hydrant slow --since 24h" to list the requests that are kept: a request is kept for at most a day, and only if it was among the slowest of its route.',
  },
  HYD_LEDGER_OFF: {
    message: 'the site in %s keeps no ledger: "ledger" is false',
    fix: 'Search the log for the digest, or set "ledger" to a file or to "postgres://…" to keep future failures.',
  },
  HYD_CREATE_NOT_EMPTY: {
    message: 'the folder %s is not empty: it has %s',
    fix: 'Choose another folder, or move its files away first.',
  },
  HYD_CREATE_UNWRITABLE: {
    message: 'cannot create the site in %s: %s',
    fix: 'Choose a folder that you can write to, and check that the disk has free space.',
  },
  HYD_TEST_BUILD: {
    message: 'the site in %s does not build%s',
    fix: 'Fix the errors of the build; to test a build that exists already, pass "build: false".',
  },
  HYD_TEST_SIGN_IN: {
    message: 'the sign-in at %s responded with %s instead of a redirect; the page says: %s',
    fix: 'Pass the fields that the action reads, with valid values; if the action does not redirect, call submit(); see "hydrant docs testing".',
  },
  HYD_DOCS_UNKNOWN: {
    message: 'the documentation has nothing about "%s"%s',
    fix: 'Run "hydrant docs" to list the chapters, or search for fewer words.',
  },
  HYD_CLI_TEMPLATE: {
    message: 'there is no template "%s"%s',
    fix: 'Choose one of the templates minimal, tailwind and plugin.',
  },
  HYD_CLI_USAGE: {
    message: '%s',
    fix: 'Run "hydrant --help" or "hydrant <command> --help".',
  },
  HYD_CLI_DIR: {
    message: '"%s" is not a folder',
    fix: 'Pass the folder of the site.',
  },
  HYD_ESBUILD_MISSING: {
    message: 'esbuild cannot run without its package %s: %s',
    fix: 'Remove node_modules and install again with optional packages: without "--omit=optional".',
  },
  HYD_CLI_BACKSLASH: {
    message: 'the path of the site contains a backslash: "%s"; Node.js imports no modules from such a folder',
    fix: 'Rename the folder.',
  },
} satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof errorTable
