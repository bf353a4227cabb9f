/// <reference lib="dom" />

// The project's own site, visited through its links.

import t from 'tap'
import { startSite } from '../site-server.ts'
import { launchChromium } from './chromium.ts'
import { takesNavigations } from './navigation-site.ts'

// Other tests check pages that fail on purpose. A file is not a page. The first decision stands for all of them.
const NO_PAGE = /\/(?:fail|refuse|refused)$|^\/failures\/f13\/|^\/no-such-page|^\/docs\/decisions\/(?!001)|\.\w+$/

const site = await startSite(t, { env: { HYDRANT_TIMEOUTS_RENDER_MS: '10000' } })
const chromium = await launchChromium(t)
const origin = `http://127.0.0.1:${site.port}`

// Creates a note, which has a page of its own.
await fetch(`${origin}/notes`, { method: 'POST', body: new URLSearchParams({ text: 'A note\nof two lines' }) })

t.test('every page is the same through a link and through its URL', async (t) => {
  const [walker, reader] = [await chromium.open({}, t), await chromium.open({}, t)]
  let documents = 0
  walker.page.on('request', (request) => {
    if (request.resourceType() === 'document') documents++
  })
  await walker.goto(`${origin}/`, 'load')
  await takesNavigations(walker.page)
  documents = 0
  const paths = ['/']
  for (const path of paths) {
    await t.test(path, async (t) => {
      await reader.goto(origin + path, 'load')
      await reader.hydrated()
      const y = await walker.page.evaluate(async (href) => {
        scrollTo({ top: 300, behavior: 'instant' })
        await navigation.navigate(href).finished
        return scrollY
      }, origin + path)
      t.equal(y, 0, 'it stands at its top at once')
      const [walked, read] = [await walker.evaluate(readPage, null), await reader.evaluate(readPage, null)]
      for (const link of read.links) if (!NO_PAGE.test(link) && !paths.includes(link)) paths.push(link)
      t.equal(walked.title, read.title)
      t.strictSame(walked.meta, read.meta)
      t.strictSame(walked.outline, read.outline)
      t.strictSame(walked.links, read.links)
      t.equal(walked.current, read.current)
      if (path !== '/') t.equal(await walker.read('main'), await reader.read('main'))
      t.strictSame(walker.errors, [])
    })
  }
  t.equal(documents, 0, 'in one document')
  t.ok(paths.length > 30, `${paths.length} pages were found through links`)
})

// Runs in the page.
function readPage() {
  const all = <E extends Element>(selector: string, read: (element: E) => string) =>
    [...document.querySelectorAll<E>(selector)].map(read)
  return {
    links: [
      ...new Set([...document.links].filter(({ origin }) => origin === location.origin).map((link) => link.pathname)),
    ],
    title: document.title,
    meta: all<HTMLMetaElement>('meta[name]', ({ name, content }) => `${name}: ${content}`).sort(),
    outline: all('h1, h2, h3', ({ textContent }) => textContent ?? ''),
    current: all('[aria-current]', ({ textContent }) => textContent ?? '').join(),
  }
}
