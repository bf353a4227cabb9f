import t, { type Test } from 'tap'
import { checkHashes, checkNonces } from '../failures/html.ts'
import { createHttpClient, mapConcurrently } from '../http-client.ts'
import { startSite } from '../site-server.ts'
import { launchChromium, type OpenPage } from './chromium.ts'
import { measureOverflow, NARROW, NO_OVERFLOW } from './fonts.ts'

// Other tests check pages that fail on purpose. A file is not a page. The first decision stands for all of them.
const NO_PAGE = /\/(?:fail|refuse|refused)$|^\/failures\/f13\/|^\/no-such-page|^\/docs\/decisions\/(?!001)|\.\w+$/

// These tests check the content of pages, not their speed.
const NO_HURRY = { env: { HYDRANT_TIMEOUTS_RENDER_MS: '10000' } }

const site = await startSite(t, NO_HURRY)
const engine = await launchChromium(t)
const origin = `http://127.0.0.1:${site.port}`

// Creates a note, which has a page of its own.
await fetch(`${origin}/notes`, { method: 'POST', body: new URLSearchParams({ text: 'A note\nof two lines' }) })

t.test('checks every page of the site', async (t) => {
  const open = await engine.open({ width: NARROW })
  const without = await engine.open({ width: NARROW, javaScript: false })
  const paths = ['/']
  for (const path of paths) {
    await t.test(path, async (t) => {
      const [seen, read] = await Promise.all([visit(open, origin + path), readWithout(without, origin + path)])
      for (const link of seen.links) {
        if (!NO_PAGE.test(link) && !paths.includes(link)) paths.push(link)
      }
      t.equal(seen.status, 200)
      t.same(seen.errors, [], 'the console is quiet: what the browser renders fits what the server sent')
      t.equal(seen.headings, 1, 'one heading of the first level')
      t.match(seen.title, /Hydrant/)
      t.same(seen.overflows, NO_OVERFLOW, `nothing reaches beyond ${NARROW} px, whatever the font`)
      t.not(seen.grounds.light, seen.grounds.dark, 'it has a light and a dark face')
      t.equal(read.text, path === '/' ? read.text : seen.text, 'without JavaScript it reads the same')
      t.equal(read.outline, seen.outline, 'and has the same headings')
      t.same(read.errors, [])
    })
  }
  t.ok(paths.length > 30, `${paths.length} pages were found through links`)
})

t.test('the first page counts and completes in the whole browser', async (t) => {
  const open = await (await launchChromium(t, 'browser')).open({}, t)
  await open.goto(`${origin}/`, 'commit')
  await open.hydrated()
  const { page } = open
  await page.locator('#counter').click()
  await page.getByText('Count: 1').waitFor()
  await open.shown('#facts')
  t.match(await open.read('#facts'), /Node\.js\s+\d+\.\d+/)
  t.equal(await open.read('#counter'), 'Count: 1', 'the counter has kept its count meanwhile')
  t.same(open.errors, [])
})

t.test('every document loads its CSS before its content and allows no script but its own', async (t) => {
  const http = createHttpClient(t)
  const paths = await crawl((path) => http.send({ port: site.port, path }).then(({ body }) => body))
  const answers = await mapConcurrently(paths, 4, (path) => http.send({ port: site.port, path }))
  const nonces: string[] = []
  for (const [index, answer] of answers.entries()) {
    await t.test(paths[index] ?? '', async (t) => {
      checkStylesheets(t, answer.body)
      const policy = String(answer.headers['content-security-policy'])
      // Documents that were rendered by the build, or are in the cache, are the same for every visitor.
      if (!policy.includes("'nonce-")) return checkHashes(t, answer.body, answer.headers)
      checkNonces(t, answer.body, answer.headers)
      nonces.push(policy)
    })
  }
  t.ok(nonces.length > 0 && nonces.length < paths.length, 'there are documents of both kinds')
  t.equal(new Set(nonces).size, nonces.length, 'each document that was rendered for a request has a nonce of its own')

  // The documents mention such paths in their texts.
  const links = answers.flatMap(({ body }) => [...body.matchAll(/ (?:src|href)="(\/_hydrant\/assets\/[\w.-]+)"/g)])
  const files = new Set(links.map(([, path = '']) => path))
  const assets = await mapConcurrently([...files], 4, (path) => http.send({ port: site.port, path }))
  for (const [index, path] of [...files].entries()) {
    const { status, headers } = assets[index] ?? { status: 0, headers: {} }
    t.equal(status, 200, path)
    t.match(headers['cache-control'], /immutable/)
    t.match(headers['content-type'], path.endsWith('.css') ? /^text\/css/ : /javascript/)
  }
})

interface Seen {
  status: number
  errors: string[]
  links: string[]
  title: string
  headings: number
  text: string
  outline: string
  overflows: Record<string, number>
  grounds: Record<'light' | 'dark', string>
}

async function visit(open: OpenPage, url: string): Promise<Seen> {
  const response = await open.goto(url, 'load')
  await open.hydrated()
  const seen = { ...(await open.evaluate(readPage, null)), text: await open.read('main') }
  const faces = { light: await readGround(open, 'light'), dark: await readGround(open, 'dark') }
  return {
    ...seen,
    status: response.status(),
    errors: [...open.errors],
    overflows: await measureOverflow(open),
    grounds: faces,
  }
}

async function readWithout(open: OpenPage, url: string) {
  await open.goto(url, 'load')
  return { ...(await open.evaluate(readPage, null)), text: await open.read('main'), errors: [...open.errors] }
}

async function readGround(open: OpenPage, colorScheme: 'light' | 'dark'): Promise<string> {
  await open.page.emulateMedia({ colorScheme })
  return open.evaluate(() => getComputedStyle(document.documentElement).backgroundColor, null)
}

// Runs in the page.
function readPage() {
  const links = [...document.links].filter((link) => link.origin === location.origin)
  return {
    links: [...new Set(links.map((link) => link.pathname))],
    title: document.title,
    headings: document.querySelectorAll('h1').length,
    outline: [...document.querySelectorAll('h1, h2, h3')].map((heading) => heading.textContent).join('\n'),
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

function checkStylesheets(t: Test, html: string) {
  const head = html.slice(0, html.indexOf('</head>'))
  const inHead = head.match(/<link rel="stylesheet"[^>]*>/g) ?? []
  const all = html.match(/<link rel="stylesheet"[^>]*>/g) ?? []
  t.ok(inHead.length > 0, 'there are stylesheets in the head')
  t.equal(all.length, inHead.length, 'and nowhere else')
  const firstScript = head.search(/<script\b(?![^>]*\basync\b)(?![^>]*type="module")/)
  t.equal(firstScript, -1, 'no script in the head holds the page back')
}
