// Requests the pages, without a port.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, test } from 'node:test'
import { createTestSite } from 'hydrant/test'

const site = await createTestSite()
after(() => site.close())

const paths = readdirSync('pages/docs')
  .filter((file) => file.endsWith('.mdx'))
  .map((file) => `/docs/${file.replace('.mdx', '')}`)

/** Returns the values of an attribute in HTML. */
function valuesOf(html, attribute) {
  return [...html.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g'))].map(([, value]) => value)
}

test('the navigation has each page', async () => {
  const { html } = await site.page('/docs/install')
  const links = valuesOf(html, 'href')

  for (const path of paths) assert.ok(links.includes(path), `${path} is missing in content/pages.server.ts`)
  assert.match(html, /<a href="\/docs\/install" aria-current="page">Install<\/a>/)
  assert.match(html, /<a href="#find-your-kettle">Find your kettle<\/a>/)
})

test('each link of the site has a target', async () => {
  const pages = new Map()
  const open = async (path) => {
    if (!pages.has(path)) pages.set(path, await site.inject({ url: path, headers: { accept: 'text/html' } }))
    return pages.get(path)
  }
  for (const from of ['/', ...paths]) {
    for (const link of valuesOf((await open(from)).body, 'href')) {
      const { origin, pathname, hash } = new URL(link, `http://localhost${from}`)
      if (origin !== 'http://localhost') continue
      const { statusCode, body } = await open(pathname)
      assert.equal(statusCode, 200, `${from} has a link to ${link}`)
      if (hash) assert.ok(valuesOf(body, 'id').includes(decodeURI(hash.slice(1))), `${from} has a link to ${link}`)
    }
  }
})

test('code has colors', async () => {
  const { html } = await site.page('/docs/first-cup')
  assert.match(html, /<span class="hljs-keyword">import<\/span>/)
})

test('the search finds sections', async () => {
  const { html, data } = await site.page('/search?q=temprature')
  assert.equal(data.results[0].url, '/docs/commands#kettle-boil')
  assert.match(html, /<a href="\/docs\/commands#kettle-boil">/)

  assert.deepEqual((await site.page('/search?q=coffee')).data.results, [])
})

test('a visitor chooses the colors, and returns to the page', async () => {
  const visitor = site.visitor()
  const { location } = await visitor.submit('/theme', { theme: 'dark', from: '/docs/commands' })
  assert.equal(location, '/docs/commands')
  assert.match((await visitor.page(location)).html, /<html lang="en" data-theme="dark">/)
})

test('an unknown address is a 404', async () => {
  const { status, html } = await site.page('/docs/coffee')
  assert.equal(status, 404)
  assert.match(html, /There is no such page/)
})

test('language models read the pages as Markdown', async () => {
  const { body: list } = await site.inject('/llms.txt')
  assert.match(list, /- \[Install\]\(http:\/\/localhost\/docs\/install\): Get the program/)

  const { body } = await site.inject({ url: '/docs/install', headers: { accept: 'text/markdown' } })
  assert.match(body, /^# Install\n/)
  assert.match(body, /\*\*Homebrew\*\*\n\n```sh\nbrew install kettle\n```/)
  assert.doesNotMatch(body, /On this page|Copy/)
})
