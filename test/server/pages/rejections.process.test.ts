// Promises of a load that no code reads, and values that cannot be inspected. None of them may end the process.

import t from 'tap'
import { createHttpClient } from '../../http-client.ts'
import { startSite } from '../../site-server.ts'
import { buildFiles, type Files, HTML, JSON_ONLY } from '../served.ts'

const page = 'export default function Page() {\n  return <p>page</p>\n}\n'
const rejecting =
  "new Promise((_, reject) => setImmediate(() => setImmediate(() => reject(new Error('nobody reads this')))))"
const loading = (path: string, load: string): Files => ({
  [`pages/${path}.tsx`]: page,
  [`pages/${path}.server.ts`]: `import { HttpError, notFound, redirect } from 'hydrant'\nvoid [HttpError, notFound, redirect]\n${load}`,
})

/** Returns a layout whose data contains a rejecting promise, around a page with that load. */
const around = (folder: string, load: string): Files => ({
  [`pages/${folder}/layout.tsx`]: 'export default function Layout({ children }) {\n  return <div>{children}</div>\n}\n',
  [`pages/${folder}/layout.server.ts`]: `export const load = () => ({ later: ${rejecting} })\n`,
  ...loading(`${folder}/index`, load),
})

/** Returns a page whose data contains a rejecting promise, below a layout with that load. */
const below = (folder: string, load: string): Files => ({
  [`pages/${folder}/layout.tsx`]: 'export default function Layout({ children }) {\n  return <div>{children}</div>\n}\n',
  [`pages/${folder}/layout.server.ts`]: `import { HttpError, notFound, redirect } from 'hydrant'\nvoid [HttpError, notFound, redirect]\n${load}`,
  ...loading(`${folder}/index`, `export const load = () => ({ later: ${rejecting} })\n`),
})

const soon = 'await new Promise((resolve) => setImmediate(resolve))'

const site: Files = {
  ...loading(
    'visitor',
    `export const cache = { maxAgeS: 60 }\nexport const load = () => ({ later: ${rejecting} })\nexport const loadVisitor = () => ({ a: 1 })\n`,
  ),
  ...around('plain', 'export const load = () => ({ a: 1 })\n'),
  ...around('fails', "export const load = () => {\n  throw new Error('no')\n}\n"),
  ...around('moves', "export const load = () => redirect('/plain')\n"),
  ...around('refuses', "export const load = () => {\n  throw new HttpError(403, 'no')\n}\n"),
  ...around('unknown', 'export const load = () => notFound()\n'),
  ...around('slow', 'export const load = () => new Promise(() => {})\n'),
  ...around('unserializable', 'export const load = () => ({ f() {} })\n'),
  ...below('failing', "export const load = () => {\n  throw new Error('no')\n}\n"),
  ...below('moving', "export const load = () => redirect('/plain')\n"),
  ...below(
    'moving-later',
    `export const load = async () => {\n  ${soon}\n  ${soon}\n  ${soon}\n  ${soon}\n  redirect('/plain')\n}\n`,
  ),
  ...below('refusing', "export const load = () => {\n  throw new HttpError(403, 'no')\n}\n"),
  ...below('cyclic', 'export const load = () => ({ f() {} })\n'),
  ...loading('nested', `export const load = () => ({ outer: Promise.resolve({ inner: ${rejecting} }) })\n`),
  ...loading('two', `export const load = () => ({ a: Promise.reject(new Error('first')), b: ${rejecting} })\n`),
  ...loading(
    'map',
    `export const load = () => ({ map: new Map([['a', ${rejecting}]]), set: new Set([${rejecting}]) })\n`,
  ),
  ...below('nested-below', "export const load = () => redirect('/plain')\n"),
  'pages/nested-below/index.server.ts': `export const load = () => ({ outer: Promise.resolve({ inner: ${rejecting} }) })\n`,
  ...loading(
    'below-a-proxy',
    "export const load = () => {\n  const refuse = () => { throw new Error('looked at') }\n  throw Object.create(new Proxy({}, { get: refuse, getPrototypeOf: refuse }))\n}\n",
  ),
  ...loading('unread-function', `export const load = () => ({ f() {}, later: ${rejecting} })\n`),
}

const paths = Object.keys(site)
  .filter((file) => /\.server\.ts$/.test(file) && !file.includes('layout'))
  .map((file) => file.slice('pages'.length, -'.server.ts'.length).replace(/\/index$/, ''))

t.test('a promise that no code reads does not end the process', async (t) => {
  const dir = await buildFiles(t.testdir({}), site)
  const { send } = createHttpClient(t)
  let server = await startSite(t, { dir })
  const ask = (path: string, method = 'GET', headers: Record<string, string> = HTML): Promise<number | string> =>
    send({ port: server.port, path, method, headers }).then(
      ({ status }) => status,
      (error: Error) => error.message,
    )
  for (const path of paths) {
    const statuses = [
      await ask(path),
      await ask(path, 'GET', JSON_ONLY),
      await ask(path, 'HEAD'),
      await ask(path, 'HEAD', { accept: 'text/markdown' }),
      await ask(path, 'POST'),
    ]
    // This request comes last, when all abandoned promises have rejected.
    const isAlive = (await ask('/')) === 200
    t.ok(isAlive && statuses.every((status) => typeof status === 'number'), `${path}: ${statuses.join(', ')}`)
    if (!isAlive) server = await startSite(t, { dir })
  }
})
