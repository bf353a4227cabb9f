/// <reference lib="dom" />

// A stored shell and a resumed rest in one response, with the content security policy of both. See decision 050.

import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import Fastify from 'fastify'
import { createElement } from 'react'
import t from 'tap'
import { fixDocument } from '../../src/server/cache/fixed-document.ts'
import { markFallbacks, showPartsNoscript } from '../../src/server/render/without-script.ts'
import { prerenderShell, resumeShell } from '../server/render/resumable.ts'
import { Shop } from '../server/render/resumable-page.tsx'
import { launchChromium } from './chromium.ts'

const PAGE = fileURLToPath(new URL('../server/render/resumable-page.js', import.meta.url))
const CLIENT = `import { createElement } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { Shop } from ${JSON.stringify(PAGE)}
hydrateRoot(document, createElement(Shop, { data: { product: 'Shoes', cart: self.cart } }))
`
const { outputFiles } = await build({
  stdin: { contents: CLIENT, resolveDir: process.cwd() },
  bundle: true,
  write: false,
  define: { 'process.env.NODE_ENV': '"production"' },
})
const client = outputFiles[0]?.text ?? ''

const element = (cart: Promise<string>) => createElement(Shop, { data: { product: 'Shoes', cart } })
const BODY_END = '</body></html>'
const MARK = 'mark'
const { html, state } = await prerenderShell(element(new Promise(() => {})), new Error('the shell is complete'))
// React takes no nonce here. Its scripts get the mark that `fixDocument` replaces by hashes.
const marked = markFallbacks(html.slice(0, -BODY_END.length), undefined)
  .replaceAll('<script', `<script nonce="${MARK}"`)
  .replace('</head>', `${showPartsNoscript(undefined)}</head>`)
const shell = fixDocument(
  `${marked}<script nonce="${MARK}">self.cart=new Promise((resolve)=>{self.setCart=resolve})</script>` +
    `<script nonce="${MARK}" src="/client.js" async=""></script>`,
  MARK,
)
if ('reason' in shell) throw new Error(shell.reason)
const { text: stored, scripts } = shell

/** Settles the visitors' parts, by visitor. */
const settle: Record<string, (cart: string) => void> = {}
let requests = 0
const app = Fastify()
app.get<{ Params: { visitor: string } }>('/for/:visitor', (request, reply) => {
  const nonce = `nonce${++requests}`
  const cart = new Promise<string>((resolve) => {
    settle[request.params.visitor] = resolve
  })
  async function* parts() {
    yield stored
    const value = await cart
    yield `<script nonce="${nonce}">setCart(${JSON.stringify(value)})</script>`
    yield await resumeShell(element(cart), state, { nonce })
  }
  reply
    .type('text/html; charset=utf-8')
    .header(
      'content-security-policy',
      `script-src ${scripts.join(' ')} 'nonce-${nonce}' 'strict-dynamic'; object-src 'none'; base-uri 'none'`,
    )
  return reply.send(Readable.from(parts()))
})
app.get('/client.js', (_, reply) => reply.type('text/javascript').send(client))
t.teardown(() => app.close())
const url = await app.listen({ port: 0, host: '127.0.0.1' })
const chromium = await launchChromium(t)

t.test('the shell is shown at once, and the rest follows in the same response and is hydrated', async (t) => {
  const open = await chromium.open()
  const thrown: string[] = []
  open.page.on('pageerror', (error) => thrown.push(String(error)))
  await open.goto(`${url}/for/ann`, 'commit')
  await open.shown('#fallback')
  t.equal(await open.read('h1'), 'Shoes')
  settle.ann?.('Ann')
  await open.shown('button')
  await open.hydrated()
  // A part is hydrated after the document; a click before that is replayed.
  await open.page.click('button')
  await open.page.waitForFunction(() => document.querySelector('button')?.innerText === 'Ann: 2')
  t.equal(await open.read('h2'), 'The shop: cart of Ann')
  t.equal(await open.read('#fallback'), '')
  t.equal(requests, 1)
  t.strictSame([...open.errors, ...thrown], [], 'no error of the policy or of hydration')
})

t.test('without JavaScript, the visitor gets the whole page', async (t) => {
  const open = await chromium.open({ javaScript: false })
  await open.goto(`${url}/for/bob`, 'commit')
  settle.bob?.('Bob')
  await open.page.waitForLoadState('load')
  t.equal(await open.read('h1'), 'Shoes')
  t.equal(await open.read('h2'), 'The shop: cart of Bob')
  await open.shown('h2')
  await t.rejects(open.shown('#fallback'), /no #fallback/)
})
