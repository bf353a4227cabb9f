// The documents on the project's site: all of them are there, their links lead somewhere, and a search finds them.

import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import t from 'tap'
import { editHref, type Repository } from '../../site/content/edit-href.ts'
import { compareFrameworks } from '../../site/documentation/compare-frameworks.ts'
import { findDifferences } from '../differences.ts'
import { walk } from '../scripts/walk.ts'
import { LONG_DEADLINES, startSite } from '../site-server.ts'

interface Found {
  hits: { href: string; title: string; heading: string | null; excerpt: { text: string; isFound: boolean }[] }[]
  isPartial: boolean
  isMore: boolean
}

// Below a path, which the compiled HTML does not know.
const BASE = '/hydrant'
const site = await startSite(t, { env: { ...LONG_DEADLINES, HYDRANT_BASE: BASE } })
const origin = `http://127.0.0.1:${site.port}`
const pages = new Map<string, string>()

/** Returns the HTML of a page; `path` has no base. */
async function read(path: string): Promise<string> {
  const answer = await fetch(origin + BASE + path, { headers: { accept: 'text/html' }, redirect: 'error' })
  if (answer.status !== 200) throw new Error(`${path} is answered ${answer.status}`)
  return answer.text()
}

async function search(q: string): Promise<Found> {
  const answer = await fetch(`${origin}${BASE}/docs/search?${new URLSearchParams({ q })}`, {
    headers: { accept: 'application/json' },
  })
  // The shape follows the load of the page.
  return (await answer.json()) as Found
}

t.test('every document of the package has a page with its title', async (t) => {
  const documents = walk('docs').filter((file) => file.endsWith('.md'))
  t.ok(documents.length > 60)
  const examples = ['shop', 'docs-site', 'existing-app'].map((name) => `examples/${name}/README.md`)
  const files = [...documents.map((file) => `docs/${file}`), ...examples, 'README.md', 'CHANGELOG.md']
  const differences = await findDifferences(files, String, async (checks, file) => {
    const path = pathOf(file)
    const html = await read(path)
    pages.set(path, html)
    const [, title = ''] = /^# (.+)$/m.exec(readFileSync(file, 'utf8')) ?? []
    checks.equal(textOf(/<h1[^>]*>(.*?)<\/h1>/.exec(html)?.[1] ?? ''), title.replaceAll('`', ''), 'heading')
    const head = html.slice(0, html.indexOf('</head>'))
    checks.match(head, /<title>[^<]+ · Hydrant<\/title>/, 'title')
    checks.match(head, /<meta name="description" content="[^"]{20,}"\/>/, 'description')
  })
  t.strictSame(differences, {})
})

t.test('every link between the documents leads to a page, and every anchor to a heading', async (t) => {
  const targets = new Map<string, string>()
  for (const [from, html] of pages) {
    for (const link of linksIn(html)) targets.set(new URL(link, `${origin}${BASE}${from}`).href, from)
  }
  const linkOf = ([target, from]: [string, string]) => `${target} in ${from}`
  const differences = await findDifferences([...targets], linkOf, async (checks, [target]) => {
    const { pathname, hash } = new URL(target)
    checks.equal(pathname.startsWith(BASE), true, 'below the base')
    const path = pathname.slice(BASE.length)
    // The pages that are not documents have tests of their own.
    if (!/^\/docs(?:\/|$)/.test(path)) return
    const html = pages.get(path) ?? (await read(path))
    pages.set(path, html)
    checks.equal(hash === '' || html.includes(` id="${hash.slice(1)}"`), true, 'a heading')
  })
  t.strictSame(differences, {}, `${targets.size} links`)
})

t.test('the first page shows what a visitor gains, and names what Hydrant is behind in, from the record', async (t) => {
  const record = readFileSync('bench/results/last.json', 'utf8')
  const ratios = compareFrameworks(readFileSync('site/content/frameworks.ratios', 'utf8'), record)
  const figures = (ratios?.figures ?? []).map(({ title, ratios }) => ({
    title,
    // The last one is a server without a framework.
    others: ratios.slice(0, -1).filter((ratio) => ratio !== null),
  }))
  const html = await read('')
  const shown = textOf(html)
  const behind = figures.filter(({ others }) => Math.min(...others) < 0.97).map(({ title }) => title.toLowerCase())
  t.ok(behind.length > 0)
  t.ok(shown.includes(`ahead in other figures: ${behind.join(', ')}. Benchmark has every figure.`), behind.join())
  t.match(html, `<a href="${BASE}/docs/benchmark">Benchmark</a> has every figure`)
  const scripts = figures.find(({ title }) => title.startsWith('Scripts'))?.others ?? []
  const [least, most] = [Math.min(...scripts), Math.max(...scripts)].map((ratio) => ratio.toFixed(2))
  t.ok(html.includes(`<dt>${least} to ${most}×</dt>`), `${least} to ${most}`)
})

t.test('each document names its source, and the list of a folder has none', async (t) => {
  const { repository }: { repository?: Repository } = JSON.parse(readFileSync('package.json', 'utf8'))
  const sources = {
    '/docs/guide/loads': 'docs/guide/loads.md',
    '/docs/overview': 'README.md',
    '/docs/examples/shop': 'examples/shop/README.md',
    '/docs/decisions': null,
  }
  const differences = await findDifferences(Object.entries(sources), String, async (checks, [path, file]) => {
    const html = await read(path)
    const shown = / class="[^"]*_source">(.*?)<\/p>/.exec(html)?.[1] ?? null
    const href = file && editHref(repository, file)
    const label = href ? `<a href="${href}">Edit this page</a>` : 'Source: '
    checks.equal(shown?.replaceAll('<!-- -->', '') ?? null, file && `${label} <code>${file}</code>`, 'source')
  })
  t.strictSame(differences, {})
})

t.test('each document leads to those before and after it', async (t) => {
  const loads = pages.get('/docs/guide/loads') ?? ''
  t.match(loads, new RegExp(`<a [^>]*href="${BASE}/docs/guide/layouts"[^>]*rel="prev"|rel="prev"[^>]*guide/layouts"`))
  t.match(loads, new RegExp(`<a [^>]*href="${BASE}/docs/guide/forms"[^>]*rel="next"|rel="next"[^>]*guide/forms"`))
})

t.test('code has colors and tables can scroll, without a script', async (t) => {
  const loads = pages.get('/docs/guide/loads') ?? ''
  t.match(loads, /<pre tabindex="0"[^>]*aria-label="shop\/teas\.server\.ts"><code><span class="keyword">export<\/span>/)
  t.match(loads, /<div class="table" tabindex="0" role="group" aria-label="Table: The context">/)
})

t.test('programs get the document as Markdown, without the list of all others', async (t) => {
  const answer = await fetch(`${origin}${BASE}/docs/words`, { headers: { accept: 'text/markdown' } })
  t.match(await answer.text(), /^# Words\n\nThis documentation uses one word for one thing\.\n/)
})

t.test('addresses of earlier pages lead to the documents that have their contents', async (t) => {
  const moved = {
    '/docs/pages': '/docs/guide/first-page',
    '/docs/loading': '/docs/guide/loads',
    '/docs/forms': '/docs/guide/forms',
    '/docs/styling': '/docs/guide/styling',
    '/docs/server': '/docs/app',
    '/docs/fastify': '/docs/app',
    '/docs/links': '/docs/navigation',
    '/docs/partly-static-pages': '/docs/cache',
    '/docs/without-scripts': '/docs/prerender',
    '/docs/tutorials/shop': '/docs/examples/shop',
    '/docs/http.md': '/docs/http',
    '/docs/deploy/README.md': '/docs/deploy',
  }
  const differences = await findDifferences(Object.entries(moved), String, async (checks, [path, target]) => {
    const { status, headers } = await fetch(origin + BASE + path, { redirect: 'manual' })
    checks.equal(status, 301, 'status')
    checks.equal(new URL(String(headers.get('location')), origin).pathname, `${BASE}${target}`, 'location')
  })
  t.strictSame(differences, {})
  const slash = await fetch(`${origin}${BASE}/docs/http/`, { redirect: 'manual' })
  t.strictSame([slash.status, slash.headers.get('location')], [308, `${BASE}/docs/http`])
  const none = await fetch(`${origin}${BASE}/docs/none`, { headers: { accept: 'text/html' } })
  t.equal(none.status, 404)
  t.match(await none.text(), /<search>.*<h1>There is no such document<\/h1>/s, 'with the search')
  t.equal((await fetch(`${origin}${BASE}/docs/constructor`)).status, 404)
})

t.test('a search finds sections by all of its words, the best first', async (t) => {
  const { hits, isPartial } = await search('  Cookie sessions ')
  t.equal(isPartial, false)
  t.ok(hits.length > 0)
  t.strictSame(
    hits.filter(({ excerpt }) => !excerpt.some(({ isFound }) => isFound)),
    [],
  )
  t.match((await search('useSubmission')).hits[0], { title: 'Submissions', heading: null })
  t.match((await search('HYD_PORT_IN_USE')).hits[0], { href: `${BASE}/docs/errors#hyd_port_in_use` })
  t.match((await search('port in use')).hits[0], { href: `${BASE}/docs/errors#hyd_port_in_use` })
  t.match((await search('timeouts.loadMs')).hits[0], { href: `${BASE}/docs/options#timeoutsloadms` })
  t.match((await search('guards')).hits[0], { title: 'Guards', heading: null })
})

t.test('a search shows its words in the page, and says when it finds nothing', async (t) => {
  const found = await read(`/docs/search?${new URLSearchParams({ q: 'layout.server.ts' })}`)
  t.match(found, /<mark>layout\.server\.ts<\/mark>/)
  t.match(found, /<input[^>]*name="q"[^>]*value="layout\.server\.ts"/)
  t.match(found, /<meta name="robots" content="noindex"\/>/)
  t.match(textOf(await read('/docs/search?q=guards+xyzzy')), 'No section contains all of these words')
  t.match(textOf(await read('/docs/search?q=xyzzy')), 'No document contains any of these words.')
  for (const [q, meant] of [
    ['strem', 'stream'],
    ['hydartion', 'hydration'],
    ['Guards cokie', 'guards cookie'],
  ] as const) {
    const text = textOf(await read(`/docs/search?${new URLSearchParams({ q })}`))
    t.match(text, `A word of the search is in no document. These are the results for “${meant}”. The words are in`)
  }
  // An example of a mistake has this word.
  t.match(await read('/docs/search?q=redirct'), /Did you mean <a href="[^"]+\?q=redirect">redirect<\/a>/)
  t.notMatch(textOf(await read('/docs/search?q=redirect')), /is in no document|Did you mean/)
  for (const query of ['', '?q=', '?q=%20', '?q=a&q=b', '?q=%28%5B*'])
    t.match(textOf(await read(`/docs/search${query}`)), /Type one or more words|No document contains/, query)
  t.notMatch(await read(`/docs/search?${new URLSearchParams({ q: '"><img src=x>' })}`), '<img')
})

function pathOf(file: string): string {
  if (file === 'README.md') return '/docs/overview'
  if (file === 'CHANGELOG.md') return '/docs/changelog'
  const path = file.replace(/\.md$/, '')
  if (file === 'docs/README.md') return '/docs'
  const page = posix.basename(path) === 'README' ? posix.dirname(path) : path
  return page.startsWith('docs/') ? `/${page}` : `/docs/${page}`
}

function linksIn(html: string): string[] {
  const main = html.slice(html.indexOf('<main'), html.indexOf('</main>'))
  return [...main.matchAll(/<a [^>]*href="([^"]*)"/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
}

function textOf(html: string): string {
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'", '#39': "'" }
  return html.replace(/<[^>]*>/g, '').replace(/&(amp|lt|gt|quot|#x27|#39);/g, (_, name: string) => named[name] ?? '')
}
