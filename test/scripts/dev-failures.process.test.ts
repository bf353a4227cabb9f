// Failures in development lead to their source, and are kept separate from those in production.

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { until } from '../until.ts'
import { createSite } from './create-site.ts'
import { runCli, startCli } from './run-cli.ts'
import { runHere } from './run-here.ts'

const page = (text: string) => `export default () => <p>${text}</p>\n`

const GOOD = 'export default async () => {}\n'

/** Errors of `server.ts` and its imports, each thrown in the line that ends with `// fails`. */
const STARTS: Record<string, Record<string, string>> = {
  'its plugin': {
    'server.ts':
      "export default async function server() {\n  // Two lines.\n  throw new Error('no database') // fails\n}\n",
  },
  'its module': {
    'server.ts': "const text = 'no database'\nthrow new Error(text) // fails\nexport default () => {}\n",
  },
  'a module that it imports': {
    'server.ts': "import { connect } from './lib/connect.ts'\nexport default async () => connect()\n",
    'lib/connect.ts':
      "export async function connect(): Promise<void> {\n  throw new Error('no database') // fails\n}\n",
  },
  'a plugin of its own': {
    'server.ts':
      "export default async function server(app) {\n  app.register(async () => {\n    throw new Error('no database') // fails\n  })\n}\n",
  },
  'its hook onReady': {
    'server.ts':
      "export default async function server(app) {\n  app.addHook('onReady', async () => {\n    throw new Error('no database') // fails\n  })\n}\n",
  },
  'a string': { 'server.ts': "export default async () => { // fails\n  throw 'no database'\n}\n" },
}

const RUNNING = `export default async function server(app) {
  app.get('/route', async () => {
    throw new Error('in a route') // fails: route
  })
  app.get('/text', async () => { // fails: text
    throw 'text'
  })
  app.addHook('onRequest', async ({ url }) => {
    if (url === '/hook') throw new Error('in a hook') // fails: hook
  })
  app.get('/hook', async () => 'never')
  app.get('/timer', async () => {
    setTimeout(() => {
      throw new Error('in a timer') // fails: timer
    }, 5)
    return 'soon'
  })
  app.get('/later', async () => {
    globalThis.later = () => {
      throw new Error('later') // fails: later
    }
    return 'soon'
  })
  app.get('/now', async () => {
    setTimeout(() => globalThis.later(), 5)
    return 'soon'
  })
}
`

const component = "export default function Page(): never {\n  throw new Error('in a component')\n}\n"
const load = "export const load = ({ request }) =>\n  request.headers.cookie ?? 'none'\n"
const PAGES = {
  'pages/broken.tsx': `throw new Error('broken module')\n${page('one')}`,
  'pages/link.tsx':
    "import { href } from 'hydrant/react'\nexport default () => <a href={href('/loda/[id]')}>link</a>\n",
  'node_modules/for-browsers/package.json': '{ "name": "for-browsers", "type": "module", "exports": "./index.js" }',
  'node_modules/for-browsers/index.js': 'export const width = window.innerWidth\n',
  'pages/width.tsx': "import { width } from 'for-browsers'\nexport default () => <p>{width}</p>\n",
  'pages/lost.tsx':
    "import { href } from 'hydrant/react'\nexport default () => <a href={href('/tag/[tag]', { tag: '..' })}>link</a>\n",
  'pages/load.tsx': page('never'),
  'pages/load.server.ts': "export function load() {\n  throw new Error('in a load')\n}\n",
  'pages/render.tsx': component,
  'pages/thrown.tsx': page('never'),
  'pages/thrown.server.ts': "export function load({ url }) {\n  if (url.pathname === '/thrown') throw 'thrown'\n}\n",
  'pages/inner/error.tsx': "export default function Failed(): never {\n  throw new Error('in error.tsx')\n}\n",
  'pages/inner/index.tsx': component,
  'pages/cached.tsx': page('cached'),
  'pages/cached.server.ts': `export const cache = { maxAgeS: 60 }\n${load}`,
  'pages/built.tsx': page('built'),
  'pages/built.server.ts': `export const prerender = true\n${load}`,
  'pages/moved.tsx': page('moved'),
  'pages/moved.server.ts': `import { redirect } from 'hydrant'
export const prerender = true
export const load = ({ request }) =>
  redirect(request.headers.cookie ? '/a' : '/built')
`,
  'pages/tagged.tsx': page('tagged'),
  'pages/tagged.server.ts': "export const cache = { maxAgeS: 60, tags: () => 'tag' }\n",
  'pages/wrong.tsx': page('never'),
  'pages/wrong.server.ts': "import { rule } from '../lib/rule.ts'\nexport const cache = rule\n",
  'lib/rule.ts': 'export const rule = { maxAgeS: -1 }\n',
  'pages/late.tsx':
    "import { Suspense, use } from 'react'\nconst Part = ({ of }) => use(of)\nexport default ({ data }) => <Suspense><Part of={data.part} /></Suspense>\n",
  'pages/late.server.ts': `export const load = ({ reply }) => ({ part: setLater(reply) })
async function setLater(reply) {
  while (!reply.raw.headersSent) await new Promise(setImmediate)
  reply.header('x-late', 'yes')
  reply.status(404)
  return 'part'
}
`,
  'pages/missing.tsx': 'export default ({ data }) => <p>{data.user.name}</p>\n',
  'pages/missing.server.ts': "export const load = () => ({ user: Promise.resolve({ name: 'Ada' }) })\n",
  'pages/developing.tsx': page('never'),
  'pages/developing.server.ts': "export function load() {\n  throw new Error('developing')\n}\n",
}

const dir = createSite(t, { ...PAGES, ...Object.assign({}, ...Object.values(STARTS).reverse()) })
const dev = startCli(t, ['dev', dir, '--port', '0', '--host', '127.0.0.1'], {
  env: { HYDRANT_LEDGER: 'production.db' },
})
const [, url = ''] = await dev.waitFor(/ at (http:\S+)/)
const write = (path: string, contents: string) => writeFileSync(join(dir, path), contents)
const get = async (path: string) => (await fetch(new URL(path, url), { headers: { accept: 'text/html' } })).text()

t.test('the terminal and the browser show the line of an error that keeps server.ts from starting', async (t) => {
  let before = 0
  for (const [what, files] of Object.entries(STARTS)) {
    // The site starts with the first of them.
    for (const [path, contents] of Object.entries(files)) write(path, contents)
    const text = await get('/')
    t.match(text, '<h1>server.ts failed while it started</h1>', what)
    const [place = '', code = ''] = placeIn(files)
    t.match(text, `${place}:`, what)
    t.match(text, `| ${code.replaceAll("'", '&#39;').replaceAll('>', '&#62;')}`, what)
    t.notMatch(text, 'index.mjs')
    await dev.waitFor(/^ {2}> +\d+ \|/)
    const printed = dev.lines.slice(before).join('\n')
    t.match(printed, /^Server error {2}server\.ts failed while it started$/m, what)
    t.match(printed, /^Error.*no database/m, what)
    t.match(printed, /^ {2}> +\d+ \| .*\/\/ fails$/m, what)
    write('server.ts', GOOD)
    await dev.waitFor(/^updated in/)
    before = dev.lines.length
  }
})

t.test('errors of other modules, the configuration and a build are not those of server.ts', async (t) => {
  t.match(await get('/broken'), 'Application error')
  await dev.waitFor(/^Server error {2}(?!server\.ts)/)
  await dev.waitFor(/^pages\/broken\.tsx:1:7$/)
  write('pages/broken.tsx', page('two'))
  await dev.waitFor(/^updated in/)
  t.match(await get('/broken'), 'two')
  write('hydrant.config.ts', "const text = 'wrong'\nthrow new Error(text)\nexport default {}\n")
  await dev.waitFor(/^hydrant\.config\.ts:2:/)
  await dev.waitFor(/^ {2}> 2 \| throw new Error\(text\)/)
  t.match(await get('/'), '<h1>The site does not build</h1>')
  write('hydrant.config.ts', 'export default {}\n')
  await dev.waitFor(/^updated in/)
})

t.test('run-time errors of server.ts and pages are shown with their lines, also of the build before', async (t) => {
  write('server.ts', RUNNING)
  await dev.waitFor(/^updated in/)
  for (const [path, place, code] of [
    ...['route', 'text', 'hook', 'timer'].map((name) => [`/${name}`, 'server.ts', `// fails: ${name}`] as const),
    ['/load', 'pages/load.server.ts', "throw new Error('in a load')"],
    ['/render', 'pages/render.tsx', "throw new Error('in a component')"],
    ['/thrown', 'pages/thrown.server.ts', 'export function load({ url }) {'],
    ['/inner', 'pages/inner/error.tsx', "throw new Error('in error.tsx')"],
  ] as const) {
    await get(path)
    await dev.waitFor(new RegExp(`^(?! )(?:.* \\()?${place.replaceAll('.', '\\.')}:\\d+:\\d+\\)?$`))
    t.match((await dev.waitFor(/^ {2}> +\d+ \| (.*)/))[1], code, path)
    if (['/text', '/thrown'].includes(path))
      await dev.waitFor(/^The thrown value is not an Error, so the place is only/)
  }
  await get('/later')
  write('server.ts', `console.log('again')\n${RUNNING}`)
  await dev.waitFor(/^updated in/)
  await get('/now')
  await dev.waitFor(/^Error: later/)
  const line = RUNNING.split('\n').findIndex((text) => text.endsWith('// fails: later')) + 1
  t.equal((await dev.waitFor(/server\.ts:(\d+):\d+\)$/))[1], String(line))
})

t.test('an error of href leads to its call, and names a similar page', async (t) => {
  await get('/link')
  await dev.waitFor(/^Try: Correct the route: there is no page \/loda\/\[id\]\.$/)
  await dev.waitFor(/^Digest /)
  t.match((await dev.waitFor(/^\S*(?: \()?(\S+:\d+:\d+)\)?$/))[1], /^pages\/link\.tsx:2:/)
})

t.test('a package that needs a browser is named', async () => {
  await get('/width')
  await dev.waitFor(/^Try: Import "for-browsers", or the package that imports it, with import\(\) in an effect/)
})

t.test('a link that leads to no page is shown with its call', async (t) => {
  t.match(await get('/lost'), '<a href="/_hydrant/no-page">link</a>')
  await dev.waitFor(/^TypeError: href\('\/tag\/\[tag\]'\): "\/tag\/\.\." would lead elsewhere/)
  await dev.waitFor(/^Digest /)
  t.match((await dev.waitFor(/^\S*(?: \()?(\S+:\d+:\d+)\)?$/))[1], /^pages\/lost\.tsx:2:/)
})

t.test('a page with the export cache or prerender is checked as production would', async (t) => {
  for (const name of ['cached', 'built']) {
    t.match(await get(`/${name}`), `<p>${name}</p>`)
    await dev.waitFor(new RegExp(`WARN: .* it reads request at pages/${name}\\.server\\.ts:2:`))
  }
  t.match(await get('/moved'), '<p>built</p>')
  await dev.waitFor(/WARN: .* it reads request at pages\/moved\.server\.ts:3:/)
  await get('/tagged')
  await dev.waitFor(/"cache\.tags" of pages\/tagged\.server\.ts must be a list/)
  await get('/wrong')
  await dev.waitFor(/^Error \[HYD_CACHE_INVALID\]/)
  await dev.waitFor(/^cache \(pages\/wrong\.server\.ts:2:14\)/)
})

t.test('a header or a status that a deferred promise sets is named with its line', async (t) => {
  const headers = { accept: 'text/html', 'user-agent': 'Mozilla/5.0 Chrome/156.0.0.0' }
  const response = await fetch(new URL('/late', url), { headers })
  t.match([response.status, await response.text()], [200, 'part'])
  await dev.waitFor(/WARN: pages\/late\.server\.ts:4:\d+ sets the header x-late after the response has begun/)
  await dev.waitFor(/WARN: pages\/late\.server\.ts:5:\d+ sets the status 404 after the response has begun/)
})

t.test('a promise that no component reads is named', async (t) => {
  t.match(await get('/missing'), '<p></p>')
  await dev.waitFor(/INFO: no component has read the promise data\.user of pages\/missing\.server\.ts with use\(\)/)
  await get('/late')
  t.notOk(
    dev.lines.some((line) => line.includes('data.part')),
    'a promise that a component has read is not',
  )
})

t.test('failures of development are kept in a separate ledger', async (t) => {
  await get('/developing')
  await dev.waitFor(/developing/)
  const [, command = ''] = await dev.waitFor(/, see: npx hydrant (errors .*)/)
  // The failure is written a moment after its line.
  await until(async () => (await runCli(command.split(' '))).stdout.includes('Error: developing'))
  await dev.stop('SIGINT')
  t.notOk(existsSync(join(dir, 'production.db')))
  t.notOk(existsSync(join(dir, 'hydrant-errors.db')))
  const { stdout } = await runHere(['errors', dir, '--dev'])
  t.match(stdout, 'pages/developing.server.ts:2  Error: developing')
  t.match(stdout, '.hydrant-dev-errors.db')
  const [, fingerprint = ''] = /^(\w{8}) /m.exec(stdout.replace(/^fingerprint.*/m, '')) ?? []
  t.match(stdout, `hydrant errors ${fingerprint} ${dir} --dev`)
  t.match((await runHere(['errors', dir])).stderr, /HYD_LEDGER_MISSING.*\n.* or pass --dev /)
  const unknown = await runHere(['errors', 'AAAAAAAA', dir, '--dev'])
  t.match(unknown.stderr, `Try: Run "hydrant errors ${dir} --dev" to list the failures`)
  const missing = await runHere(['errors', join(dir, 'pages'), '--dev'])
  t.match(missing.stderr, /HYD_LEDGER_MISSING.*\nTry: Pass the folder that "hydrant dev" was started with/)
  t.match((await runHere(['errors', dir, '--dev', '--ledger', 'x.db'])).stderr, 'HYD_CLI_USAGE')
})

/** Returns the position in the sources that ends with `// fails`, and its line. */
function placeIn(files: Record<string, string>): [place: string, code: string] | [] {
  for (const [file, source] of Object.entries(files)) {
    const lines = source.split('\n')
    const index = lines.findIndex((text) => text.endsWith('// fails'))
    if (index !== -1) return [`${file}:${index + 1}`, lines[index] ?? '']
  }
  return []
}
