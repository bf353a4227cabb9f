/// <reference lib="dom" />

// The project's own site, visited through its links.

import t from 'tap'
import { EARLY_SCRIPT } from '../../src/shared/wire/early-events.ts'
import { type Checks, findDifferences } from '../differences.ts'
import { findHashFaults, findNonceFaults } from '../failures/html.ts'
import { createHttpClient, mapConcurrently } from '../http-client.ts'
import { startSite } from '../site-server.ts'
import { until } from '../until.ts'
import { launchChromium, type OpenPage } from './chromium.ts'
import { measureOverflow, NARROW, NO_OVERFLOW } from './fonts.ts'
import { takesNavigations } from './navigation-site.ts'

// Other tests check pages that fail on purpose. A file is not a page. The first decision stands for all of them.
const NO_PAGE = /\/(?:fail|refuse|refused)$|^\/failures\/f13\/|^\/no-such-page|^\/docs\/decisions\/(?!001)|\.\w+$/

// These tests check the content of pages, not their speed.
const NO_HURRY = { env: { HYDRANT_TIMEOUTS_RENDER_MS: '10000' } }

const DIGEST = /[\dA-Z]{8}-[\dA-Z]{6}/
const FAILING_LINE = '  > 7 |   return { name: product.name, left: product.stock.count }'

const site = await startSite(t, NO_HURRY)
const engine = await launchChromium(t)
const origin = `http://127.0.0.1:${site.port}`

// Creates a note, which has a page of its own.
await fetch(`${origin}/notes`, { method: 'POST', body: new URLSearchParams({ text: 'A note\nof two lines' }) })

t.test('every page reads the same without JavaScript and through a link', async (t) => {
  const open = await engine.open({ width: NARROW }, t)
  const without = await engine.open({ width: NARROW, javaScript: false }, t)
  const walker = await engine.open({ width: NARROW }, t)
  let documents = 0
  walker.page.on('request', (request) => {
    if (request.resourceType() === 'document') documents++
  })
  await walker.goto(`${origin}/`, 'load')
  await takesNavigations(walker)
  documents = 0
  const paths = ['/']
  const differences = await findDifferences(paths, String, async (checks, path) => {
    const url = origin + path
    const [seen, read, walked] = await Promise.all([visit(open, url), readWithout(without, url), walk(walker, url)])
    for (const link of seen.links) {
      if (!NO_PAGE.test(link) && !paths.includes(link)) paths.push(link)
    }
    checks.equal(seen.status, 200, 'status')
    checks.equal(seen.errors, [], 'the console is quiet: what the browser renders fits what the server sent')
    checks.equal(seen.headings, 1, 'one heading of the first level')
    checks.match(seen.title, /Hydrant/, 'title')
    checks.equal(seen.overflows, NO_OVERFLOW, `nothing reaches beyond ${NARROW} px, whatever the font`)
    checks.equal(new Set(seen.grounds).size, 2, 'it has a light and a dark face')
    checks.equal(read.text, seen.text, 'without JavaScript it reads the same')
    checks.equal(read.outline, seen.outline, 'and has the same headings')
    checks.equal(read.errors, [], 'and a quiet console')
    checks.equal(walked.top, 0, 'through a link it stands at its top at once')
    for (const part of ['title', 'meta', 'outline', 'links', 'current'] as const)
      checks.equal(walked[part], seen[part], `and has the same ${part}`)
    checks.equal(walked.text, seen.text, 'and reads the same')
    checks.equal(walked.errors, [], 'and its console is quiet')
  })
  t.strictSame(differences, {}, `${paths.length} pages`)
  t.equal(documents, 0, 'all links are followed in one document')
  t.ok(paths.length > 30, `${paths.length} pages were found through links`)
})

t.test('the whole browser shows a failure in the first page, and streamed parts as they arrive', async (t) => {
  const open = await (await launchChromium(t, 'browser')).open({}, t)
  const { page } = open
  await open.goto(`${origin}/`, 'commit')
  await open.hydrated()
  let documents = 0
  page.on('request', (request) => {
    if (request.resourceType() === 'document') documents++
  })
  await page.getByRole('button', { name: 'Request product 8' }).click()
  await page.getByText(/^The page has failed with the digest/).waitFor()
  const shown = async () => DIGEST.exec((await open.read('#failed')) ?? '')?.[0]
  const first = await shown()
  t.strictSame(await page.locator('mark').allTextContents(), [first, first, FAILING_LINE])
  t.ok(await page.getByText(`npx hydrant errors ${first}`).isVisible())
  const button = page.getByRole('button', { name: 'Request product 8 again' })
  t.equal(await button.evaluate((element) => element === document.activeElement), true, 'the focus stays')
  await button.click()
  await until(async () => (await shown()) !== first)
  t.equal(documents, 0, 'in place')
  t.same(open.errors, [])

  await open.goto(`${origin}/failures/f16/fail`, 'commit')
  // Both are looked for at the same moment.
  const second = await page.waitForFunction(() => {
    const { innerText } = document.body
    return innerText.includes('Part 2 of 20') && { hasLast: innerText.includes('Part 20 of 20') }
  })
  t.same(await second.jsonValue(), { hasLast: false }, 'before the last one')
  t.same(open.errors, [])
})

t.test('without JavaScript, the first page shows the failure in a document', async (t) => {
  const { page, goto } = await engine.open({ javaScript: false }, t)
  await goto(`${origin}/`, 'load')
  const press = page.getByRole('button', { name: 'Request product 8' }).click()
  await Promise.all([page.waitForURL(`${origin}/#failed`), press])
  t.match(await page.locator('#failed + ol').innerText(), /500[\s\S]*TypeError[\s\S]* > 7 \|/)
})

t.test('every document loads its CSS before its content and allows no script but its own', async (t) => {
  const http = createHttpClient(t)
  const paths = await crawl((path) => http.send({ port: site.port, path }).then(({ body }) => body))
  const answers = await mapConcurrently(paths, 4, (path) => http.send({ port: site.port, path }))
  const nonces: string[] = []
  const differences = await findDifferences(paths, String, (checks, _, index) => {
    const { body = '', headers = {} } = answers[index] ?? {}
    checkStylesheets(checks, body)
    const policy = String(headers['content-security-policy'])
    // Documents that were rendered by the build, or are in the cache, are the same for every visitor.
    const isOwn = policy.includes("'nonce-")
    if (isOwn) nonces.push(policy)
    checks.equal((isOwn ? findNonceFaults : findHashFaults)(body, headers), [], 'the policy allows each script')
  })
  t.strictSame(differences, {}, `${paths.length} documents`)
  t.ok(nonces.length > 0 && nonces.length < paths.length, 'there are documents of both kinds')
  t.equal(new Set(nonces).size, nonces.length, 'each document that was rendered for a request has a nonce of its own')

  // The documents mention such paths in their texts.
  const links = answers.flatMap(({ body }) => [...body.matchAll(/ (?:src|href)="(\/_hydrant\/assets\/[\w.-]+)"/g)])
  const files = new Set(links.map(([, path = '']) => path))
  const assets = await mapConcurrently([...files], 4, (path) => http.send({ port: site.port, path }))
  const others = await findDifferences([...files], String, (checks, path, index) => {
    const { status, headers = {} } = assets[index] ?? {}
    checks.equal(status, 200, 'status')
    checks.match(headers['cache-control'], /immutable/, 'cache-control')
    checks.match(headers['content-type'], path.endsWith('.css') ? /^text\/css/ : /javascript/, 'content-type')
  })
  t.strictSame(others, {}, `${files.size} assets`)
})

async function visit(open: OpenPage, url: string) {
  const response = await open.goto(url, 'load')
  await open.hydrated()
  const seen = await readAll(open)
  return {
    ...seen,
    status: response.status(),
    overflows: await measureOverflow(open),
    grounds: await readGrounds(open),
  }
}

async function readWithout(open: OpenPage, url: string) {
  await open.goto(url, 'load')
  return readAll(open)
}

/** Follows a link to a page, in the document of another one that is scrolled down. */
async function walk(open: OpenPage, url: string) {
  const top = await open.evaluate(async (href) => {
    scrollTo({ top: 300, behavior: 'instant' })
    await navigation.navigate(href).finished
    return scrollY
  }, url)
  return { top, ...(await readAll(open)) }
}

async function readAll(open: OpenPage) {
  const page = await open.evaluate(readPage, null)
  return { ...page, errors: [...open.errors] }
}

/** Reads the background of a page in the color scheme that it has, and in the other one, which it keeps. */
async function readGrounds({ page, evaluate }: OpenPage): Promise<[string, string]> {
  const read = () => evaluate(() => getComputedStyle(document.documentElement).backgroundColor, null)
  const first = await read()
  const isDark = await evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches, null)
  await page.emulateMedia({ colorScheme: isDark ? 'light' : 'dark' })
  return [first, await read()]
}

// Runs in the page.
function readPage() {
  const all = <E extends Element, T>(selector: string, read: (element: E) => T) =>
    [...document.querySelectorAll<E>(selector)].map(read)
  const own = [...document.links].filter(({ origin }) => origin === location.origin)
  return {
    links: [...new Set(own.map(({ pathname }) => pathname))],
    title: document.title,
    meta: all('meta[name]', ({ name, content }: HTMLMetaElement) => `${name}: ${content}`).sort(),
    headings: document.querySelectorAll('h1').length,
    outline: all('h1, h2, h3', ({ textContent }) => textContent),
    current: all('[aria-current]', ({ textContent }) => textContent).join(),
    text: document.querySelector('main')?.innerText,
  }
}

/** Finds the same pages in the HTML. */
async function crawl(read: (path: string) => Promise<string>): Promise<string[]> {
  const paths = ['/']
  for (const path of paths) {
    const html = await read(path)
    for (const [, link = ''] of html.matchAll(/<a [^>]*href="(\/[^"#?]*)/g)) {
      if (!NO_PAGE.test(link) && !paths.includes(link)) paths.push(link)
    }
  }
  return paths
}

function checkStylesheets(checks: Checks, html: string) {
  const head = html.slice(0, html.indexOf('</head>'))
  const inHead = head.match(/<link rel="stylesheet"[^>]*>/g) ?? []
  const all = html.match(/<link rel="stylesheet"[^>]*>/g) ?? []
  checks.equal(inHead.length > 0, true, 'there are stylesheets in the head')
  checks.equal(all.length, inHead.length, 'and nowhere else')
  // An inline script that comes before all stylesheets does not wait for them.
  const others = head.replace(/<head[^>]*><script[^>]*>(.*?)<\/script>/, (found, text) =>
    text === EARLY_SCRIPT ? '' : found,
  )
  const firstScript = others.search(/<script\b(?![^>]*\basync\b)(?![^>]*type="module")/)
  checks.equal(firstScript, -1, 'no script in the head holds the page back')
}
