// Pages that cannot be prerendered: the build fails, and names each with its line.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { BuildError, type BuildProblem } from '../../scripts/build-problem.ts'
import { buildSharing } from '../shared-compression.ts'
import { createSite } from './create-site.ts'
import { runHere } from './run-here.ts'

const PAGE = 'export default ({ data }) => <p>{String(data?.text)}</p>\n'
const TRUE = 'export const prerender = true\n'
const HOOK = `export default async function server(app) {
  app.addHook('onRequest', async (request, reply) => {
    if (request.url === '/cookie-of-hook') reply.header('set-cookie', 'a=1')
    if (request.url === '/moved-by-hook') return reply.redirect('/a')
  })
}
`

const USER = `export async function userOf({ request }) {
  await null
  return request.headers.cookie
}
`

/** Returns the problems of a build that fails. */
async function problemsOf(dir: string): Promise<readonly BuildProblem[]> {
  const error: unknown = await buildSharing({ dir }).then(
    () => null,
    (reason) => reason,
  )
  if (!(error instanceof BuildError)) throw error ?? new Error('The site has been built.')
  return error.problems
}

const show = ({ code, location, message }: BuildProblem) =>
  `${code} ${location ? [location.file, location.line, location.column].filter((part) => part !== null).join(':') : '-'}: ${message}`

/** Pages by name: the server file, and the problem. */
const pages: readonly [name: string, server: string, problem: RegExp][] = [
  [
    'cookie',
    `${TRUE}export const load = ({ request }) => ({\n  text: request.headers.cookie,\n})\n`,
    /^HYD_PRERENDER_PERSONAL pages\/cookie\.server\.js:2:24: the response of \/cookie, .*: it reads request$/,
  ],
  [
    'helped',
    `import { userOf } from '../lib/user.js'\n${TRUE}export const load = async (ctx) => ({ text: await userOf(ctx) })\n`,
    /^HYD_PRERENDER_PERSONAL lib\/user\.js:1:32: .*: it reads request, called from pages\/helped\.server\.js:3:51$/,
  ],
  [
    'fails',
    `${TRUE}export function load() {\n  throw new Error('no database')\n}\n`,
    /^HYD_PRERENDER_FAILED pages\/fails\.server\.js:3:9: the page \/fails failed while it was prerendered: Error: no database$/,
  ],
  [
    'late',
    `${TRUE}export const load = () => ({ text: Promise.reject(new Error('late')) })\n`,
    /^HYD_PRERENDER_FAILED /,
  ],
  [
    'list/[id]',
    'export const prerender = () => { throw new Error("no list") }\n',
    /^HYD_PRERENDER_INVALID pages\/list\/\[id\]\.server\.js:1:14: .*: the function threw: no list$/,
  ],
  ['maps/[id]', 'export const prerender = () => new Map()\n', /must return a list; got .*Map/],
  [
    'moves',
    `import { redirect } from 'hydrant'\n${TRUE}export const load = ({ request }) =>\n  redirect(request.headers.cookie ? '/a' : '/b')\n`,
    /^HYD_PRERENDER_PERSONAL pages\/moves\.server\.js:3:24: .*: it reads request$/,
  ],
  ['cookie-of-hook', TRUE, /^HYD_PRERENDER_PERSONAL .*: its response has the header set-cookie$/],
  ['moved-by-hook', TRUE, /^HYD_PRERENDER_RESPONSE .*: it redirects to \/a$/],
  [
    'other/[id]',
    "export const prerender = () => ['/']\n",
    /^HYD_PRERENDER_RESPONSE pages\/other\/\[id\]\.server\.js:1:14: the page \/ .*: another page, a file or a route .* responds to it$/,
  ],
  ['params/[id]', 'export const prerender = () => [{ params: { name: 1 } }]\n', /"id" is missing or empty$/],
  ['query/[id]', "export const prerender = () => ['/query/1?page=2']\n", /without a query; got .*\/query\/1\?page=2/],
  [
    'refuses',
    `import { HttpError } from 'hydrant'\n${TRUE}export const load = () => { throw new HttpError(403, 'No.') }\n`,
    /^HYD_PRERENDER_RESPONSE pages\/refuses\.server\.js:2:14: .*: its response has the status 403$/,
  ],
  [
    'sets',
    `${TRUE}export const load = ({ reply }) => void reply.header('set-cookie', 'a=1')\n`,
    /^HYD_PRERENDER_PERSONAL pages\/sets\.server\.js:2:24: .*: it reads reply$/,
  ],
  [
    'unknown',
    `import { notFound } from 'hydrant'\n${TRUE}export const load = () => notFound()\n`,
    /^HYD_PRERENDER_RESPONSE .*: its response is a 404$/,
  ],
]

const IMPORTS_A = "import { a } from '../lib.js'\nexport default () => <p>{a}</p>\n"

t.test('the build lists each page that cannot be prerendered, and writes nothing', async (t) => {
  const files = pages.flatMap(([name, server]) => [
    [`pages/${name}.jsx`, PAGE],
    [`pages/${name}.server.js`, server],
  ])
  const broken = { 'pages/renders.jsx': `${TRUE}export default ({ data }) => <p>{data.text}</p>\n` }
  const dir = createSite(t, { ...Object.fromEntries(files), ...broken, 'lib/user.js': USER, 'server.js': HOOK })
  const problems = (await problemsOf(dir)).map(show)
  for (const [name, , problem] of pages)
    t.ok(
      problems.some((line) => problem.test(line)),
      name,
    )
  t.ok(
    problems.some((line) => /^HYD_PRERENDER_FAILED pages\/renders\.jsx:2:39: .*TypeError: /.test(line)),
    'renders',
  )
  t.equal(problems.length, pages.length + 1, problems.join('\n'))
  t.notOk(existsSync(join(dir, '.hydrant')))
})

t.test('a page that needs a server for each visitor is refused before anything is rendered', async (t) => {
  const dir = createSite(t, {
    'pages/action.jsx': PAGE,
    'pages/action.server.js': `${TRUE}export const action = () => 1\nexport const cache = { maxAgeS: 1 }\nexport const loadVisitor = () => 1\n`,
    'pages/actions.jsx': PAGE,
    'pages/actions.server.js': `${TRUE}export const actions = { a() {} }\nexport const live = () => []\n`,
    'pages/members/layout.jsx': 'export default ({ children }) => children\n',
    'pages/members/layout.server.js': 'export const guard = () => {}\n',
    'pages/members/index.jsx': `${TRUE}${PAGE}`,
    'pages/twice.jsx': `${TRUE}${PAGE}`,
    'pages/twice.server.js': `\n${TRUE}`,
  })
  t.strictSame((await problemsOf(dir)).map(show), [
    'HYD_PRERENDER_SERVER pages/action.server.js:1:14: the page pages/action.jsx cannot be prerendered: pages/action.server.js has an action',
    'HYD_PRERENDER_SERVER pages/action.server.js:1:14: the page pages/action.jsx cannot be prerendered: pages/action.server.js has the export "cache"',
    'HYD_PRERENDER_SERVER pages/action.server.js:1:14: the page pages/action.jsx cannot be prerendered: pages/action.server.js has a part for each visitor',
    'HYD_PRERENDER_SERVER pages/actions.server.js:1:14: the page pages/actions.jsx cannot be prerendered: pages/actions.server.js has actions',
    'HYD_PRERENDER_SERVER pages/actions.server.js:1:14: the page pages/actions.jsx cannot be prerendered: pages/actions.server.js has topics of a live page',
    'HYD_PRERENDER_SERVER pages/members/index.jsx:1:14: the page pages/members/index.jsx cannot be prerendered: pages/members/layout.server.js has a guard for all pages below it',
    'HYD_PRERENDER_SERVER pages/twice.jsx:1:14: the page pages/twice.jsx cannot be prerendered: pages/twice.jsx and pages/twice.server.js export "prerender"; one of them is enough',
  ])
})

for (const [title, files, message] of [
  ['a page with parameters', { 'pages/[id].jsx': `${TRUE}${PAGE}` }, /the path of the page has parameters/],
  ['false', { 'pages/a.jsx': `export const prerender = false\n${PAGE}` }, /must be true or a function; got false/],
  [
    'a function in the module of a page',
    { 'pages/[id].jsx': `export const prerender = () => []\n${PAGE}` },
    /server file/,
  ],
] as const) {
  t.test(`${title} is no valid export`, async (t) => {
    const [problem, ...others] = await problemsOf(createSite(t, files))
    t.match(problem, { code: 'HYD_PRERENDER_INVALID', message, location: { line: 1, column: 14 } })
    t.equal(others.length, 0)
  })
}

t.test('a site that cannot be loaded, or that ends the process, is an error', async (t) => {
  const page = { 'pages/a.jsx': `${TRUE}${PAGE}` }
  const [start] = await problemsOf(
    createSite(t, { ...page, 'server.js': "export default async () => { throw new Error('no port') }\n" }),
  )
  t.match(start, { code: 'HYD_PRERENDER_START', message: /no port/, location: { file: 'server.js', line: 1 } })
  const [broken] = await problemsOf(
    createSite(t, {
      ...page,
      'lib.js': "export const a = JSON.parse('{')\n",
      'pages/b.jsx': IMPORTS_A,
    }),
  )
  t.match(broken, {
    code: 'HYD_BUILD_BROKEN',
    location: { file: 'lib.js', line: 1, column: 23 },
    fix: 'Fix this module, then build again.',
  })
  const [onServer] = await problemsOf(
    createSite(t, { ...page, 'lib.js': 'export const a = innerWidth\n', 'pages/b.jsx': IMPORTS_A }),
  )
  t.match(onServer, { code: 'HYD_BUILD_BROKEN', fix: /^Use "innerWidth" in an effect \(useEffect\) / })
  const [stop] = await problemsOf(
    createSite(t, { ...page, 'server.js': 'export default async () => process.exit(3)\n' }),
  )
  t.match(stop, { code: 'HYD_PRERENDER_STOPPED', message: /the exit code 3/ })
})

t.test('a page whose href names no page is told which page is similar', async (t) => {
  const [problem] = await problemsOf(
    createSite(t, {
      'pages/books/[id].jsx': PAGE,
      'pages/a.jsx': `import { href } from 'hydrant/react'\n${TRUE}export default () => <a href={href('/books/[idd]', { id: 1 })}>a</a>\n`,
    }),
  )
  t.match(problem, {
    ...{ code: 'HYD_PRERENDER_FAILED', location: { file: 'pages/a.jsx', line: 3 } },
    fix: 'Correct the route: there is no page /books/[idd]; did you mean /books/[id]?',
  })
})

t.test('the causes of a failed page, and the errors of an AggregateError, are below its place', async (t) => {
  const dir = createSite(t, {
    'pages/a.jsx': PAGE,
    'pages/a.server.js': `${TRUE}export function load() {
  const refused = new Error('connect ECONNREFUSED', { cause: new Error('no database') })
  const both = new AggregateError([refused, new Error('no copy')], 'both')
  throw new TypeError('fetch failed', { cause: both })
}
`,
    'pages/b.jsx': PAGE,
    'pages/b.server.js': `${TRUE}export const load = () => Promise.reject('text')\n`,
  })
  const { stderr } = await runHere(['build', dir])
  const [a = '', b = ''] = stderr.split(/^(?=Error \[)/m)
  t.match(a, /^Error \[HYD_PRERENDER_FAILED\] the page \/a failed while it was prerendered: TypeError: fetch failed\n/)
  t.match(a, /^ {2}at pages\/a\.server\.js:5:9$/m)
  t.equal(
    a.slice(a.indexOf('Caused by'), a.indexOf('Try: ')),
    `Caused by: AggregateError: both
  at load (pages/a.server.js:4:16)
Error 1 of 2: Error: connect ECONNREFUSED
  at load (pages/a.server.js:3:19)
  Caused by: Error: no database
    at load (pages/a.server.js:3:62)
Error 2 of 2: Error: no copy
  at load (pages/a.server.js:4:45)
`,
  )
  t.match(b, /\nThe thrown value is not an Error, so the place is only the function\.\nTry: /)
})
