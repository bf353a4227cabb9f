// React's `prerender` and `resumeToPipeableStream`: what a page with a stored shell relies on. See decision 050.

import { createElement, type ReactNode, Suspense, use } from 'react'
import type { PostponedState } from 'react-dom/static'
import t from 'tap'
import { prerenderShell, resumeFrom, resumeShell } from './resumable.ts'
import { Shop, type ShopData, timesRelatedWasRendered } from './resumable-page.tsx'

const pending = () => new Promise<never>(() => {})
const shop = (cart: ShopData['cart']) => createElement(Shop, { data: { product: 'Shoes', cart } })
const END = '</body></html>'
const COMPLETED = /<div hidden id="S:0">.*?<\/div>/s
const REASON = new Error('the shell is complete')

const shell = await prerenderShell(shop(pending()), REASON)

t.test("Node's build prerenders, and Bun's build resumes from a state in JSON", async (t) => {
  t.match(shell.html, /^<!DOCTYPE html><html lang="en"><head>.*<h1>Shoes<\/h1>.*<footer>related<\/footer>.*<\/html>$/s)
  t.match(shell.html, '<!--$?--><template id="B:0"></template><p id="fallback">Loading the cart</p><!--/$-->')
  t.match(shell.html, 'product.woff2', 'preloads of the shell reach the build that renders it')
  const before = timesRelatedWasRendered()
  const rest = await resumeShell(shop(Promise.resolve('Ann')), shell.state, { nonce: 'abc' })
  t.match(rest, /<h2>The shop: cart of Ann<\/h2>/)
  t.match(rest, 'href="/Ann.woff2"', "preloads of the rest reach Bun's build")
  t.equal(timesRelatedWasRendered(), before, 'parts beside the way to the pending part are not rendered again')
  t.notMatch(rest, /Shoes|header|related/)
})

t.test('the ids of the resumed part are those of a document in one piece', async (t) => {
  const { html } = await prerenderShell(shop(Promise.resolve('Ann')), REASON)
  const rest = await resumeShell(shop(Promise.resolve('Ann')), shell.state)
  const id = /<section id="([^"]+)">/
  t.ok(id.exec(html)?.[1])
  t.equal(id.exec(rest)?.[1], id.exec(html)?.[1])
})

t.test('a document without pending parts has no state', async (t) => {
  const whole = await prerenderShell(shop(Promise.resolve('Ann')), REASON)
  t.equal(whole.state, null)
  t.match(whole.html, 'cart of Ann')
  t.strictSame(whole.errors, [])
})

t.test('both steps close the body, so the end of the shell has to wait', async (t) => {
  const rest = await resumeShell(shop(Promise.resolve('Ann')), shell.state)
  t.ok(shell.html.endsWith(END))
  t.ok(rest.endsWith(END))
})

t.test('the scripts of the shell have no nonce, and those of the rest do', async (t) => {
  t.strictSame(shell.html.match(/<script[^>]*>/g), ['<script id="_R_">'])
  const rest = await resumeShell(shop(Promise.resolve('Ann')), shell.state, { nonce: 'abc' })
  t.strictSame(rest.match(/<script[^>]*>/g), ['<script nonce="abc">'])
})

t.test('the state is complete only after the shell has been read', async (t) => {
  t.not(shell.earlyState, shell.state)
  t.strictSame(
    { ...JSON.parse(shell.earlyState), resumableState: null },
    { ...JSON.parse(shell.state ?? ''), resumableState: null },
  )
})

t.test('each request needs a state of its own: from a used one, React renders nothing', async (t) => {
  // React's type of the state has a symbol that no value has.
  const state = JSON.parse(shell.state ?? '') as PostponedState
  t.match(await resumeFrom(shop(Promise.resolve('Ann')), state), COMPLETED)
  t.equal(await resumeFrom(shop(Promise.resolve('Bob')), state), END)
})

t.test('requests with states of their own do not see each other', async (t) => {
  const names = ['Ann', 'Bob', 'Cid', 'Dora']
  const rests = await Promise.all(names.map((name) => resumeShell(shop(Promise.resolve(name)), shell.state)))
  for (const [index, rest] of rests.entries()) {
    t.match(rest, `cart of ${names[index]}`)
    t.notMatch(rest, new RegExp(names.filter((_, other) => other !== index).join('|')))
    t.match(rest, '$RC=function', 'React repeats its functions in each document')
  }
})

t.test('a part that fails leaves the fallback and its digest in place', async (t) => {
  const cause = new Error('secret')
  const errors: unknown[] = []
  const onError = (error: unknown) => {
    errors.push(error)
    return 'DIGEST'
  }
  const rest = await resumeShell(shop(Promise.reject(cause)), shell.state, { onError })
  t.strictSame(errors, [cause])
  t.match(rest, '$RX("B:0","DIGEST")')
  t.notMatch(rest, /secret|<div hidden/)
})

t.test('stopping reports its reason once for each pending part', async (t) => {
  t.strictSame(shell.errors, [REASON])
})

t.test('a failure in the shell rejects, and one in <Suspense> is reported and would be stored', async (t) => {
  const cause = new Error('shell')
  const Fails = () => {
    throw cause
  }
  await t.rejects(prerenderShell(createElement(Fails), REASON), cause)
  const inside = await prerenderShell(inDocument(createElement(Suspense, {}, createElement(Fails))), REASON)
  t.strictSame(inside.errors, [cause])
  t.equal(inside.state, null)
})

t.test('without <Suspense> around the pending part there is no shell', async (t) => {
  const Waits = () => use(pendingForever)
  const nothing = await prerenderShell(inDocument(createElement(Waits)), REASON)
  t.equal(nothing.html, '')
  t.type(nothing.state, 'string')
})

t.test('another tree than that of the shell fails the pending parts', async (t) => {
  const errors: string[] = []
  const onError = (error: unknown) => {
    errors.push(String(error))
    return 'DIGEST'
  }
  const rest = await resumeShell(inDocument('other'), shell.state, { onError })
  t.match(errors, [/The tree doesn't match/])
  t.match(rest, '$RX("B:0","DIGEST")')
})

const pendingForever = pending()
const inDocument = (content: ReactNode) => createElement('html', null, createElement('body', null, content))
