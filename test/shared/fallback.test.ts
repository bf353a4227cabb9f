import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { errorPageProps } from '../../src/shared/tree/boundary.tsx'
import {
  fallbackBody,
  fallbackContent,
  fallbackDocument,
  fallbackNoscript,
  fallbackTitle,
  hostScript,
} from '../../src/shared/tree/fallback.ts'
import {
  clientSentence,
  digestLine,
  type PublicError,
  publicMessage,
  serverSentence,
} from '../../src/shared/wire/public-error.ts'

const SERVER =
  'Application error: a server-side exception has occurred while loading shop.example (see the server logs for more information).'
const CLIENT =
  'Application error: a client-side exception has occurred while loading shop.example (see the browser console for more information).'
const DIGEST = '7K3M9QZD-0F4XTB'

const failure: PublicError = { kind: 'failure', side: 'server', status: 500, digest: DIGEST }
const clientFailure: PublicError = { kind: 'failure', side: 'client' }
const refusal: PublicError = { kind: 'refusal', status: 403, message: 'Members only' }
const context = { host: 'shop.example', search: '' }

t.test('the sentences are these, word for word', async (t) => {
  t.equal(serverSentence('shop.example'), SERVER)
  t.equal(clientSentence('shop.example'), CLIENT)
  t.equal(digestLine(DIGEST), `Digest: ${DIGEST}`)
})

t.test('a failure on the server shows sentence, digest and a way to try again', async (t) => {
  const html = fallbackContent(failure, context)
  t.ok(html.includes(`>${SERVER}</p>`))
  t.ok(html.includes(`>Digest: ${DIGEST}<`))
  t.match(html, /<form method="get"[^>]*><button type="submit">Try again<\/button><\/form>/)
  t.ok(html.indexOf(SERVER) < html.indexOf('Digest: '), 'the digest stands behind the sentence')
  t.notMatch(html, '<script', 'no script without a nonce')
})

t.test('a failure in the browser has no digest', async (t) => {
  const html = fallbackContent(clientFailure, context)
  t.ok(html.includes(`>${CLIENT}</p>`))
  t.notMatch(html, 'Digest')
  t.match(html, 'Try again')
})

t.test('a refusal shows its status and message and nothing of a failure', async (t) => {
  const html = fallbackContent(refusal, context)
  t.match(html, '>403 Members only</p>')
  t.notMatch(html, /Application error|Digest|Try again/)
  t.equal(fallbackTitle(refusal), '403 Members only')
  t.equal(fallbackTitle(failure), 'Application error')
  t.equal(fallbackTitle(clientFailure), 'Application error')
})

t.test('the sentence is marked as English, and each text has its own direction', async (t) => {
  t.match(fallbackContent(failure, context), `<p lang="en" dir="auto" data-hydrant-host="shop.example">${SERVER}</p>`)
  t.match(fallbackContent(refusal, context), '<p dir="auto" data-hydrant-host="shop.example">403 Members only</p>')
})

t.test('the document of last resort is one whole document', async (t) => {
  const html = fallbackDocument(failure, { ...context, nonce: 'bm9uY2U=', hostScript })
  t.match(html, /^<!DOCTYPE html><html lang="en"><head>.*<\/head><body>.*<\/body><\/html>$/s)
  for (const part of [
    '<meta charset="utf-8">',
    '<meta name="robots" content="noindex">',
    '<title>Application error</title>',
    'role="alert"',
    'color-scheme:light dark',
    SERVER,
    `Digest: ${DIGEST}`,
    '<script nonce="bm9uY2U=">',
  ]) {
    t.ok(html.includes(part), part)
  }
  t.equal(html.match(/<script/g)?.length, 1)
  t.ok(fallbackBody(failure, context).includes(fallbackContent(failure, context)))
})

t.test('the copy for visitors without JavaScript contains no script', async (t) => {
  const html = fallbackNoscript(DIGEST, 500, { ...context, nonce: 'bm9uY2U=', hostScript })
  t.match(html, /^<noscript>.*<\/noscript>$/s)
  t.notMatch(html, '<script')
  t.ok(html.includes(SERVER))
  t.ok(html.includes(`Digest: ${DIGEST}`))
  t.ok(html.includes('name="robots" content="noindex"'))
})

t.test('Try again keeps the query of the URL', async (t) => {
  const html = fallbackContent(failure, { ...context, search: '?a=1&a=2&q=%22%3E%3Cscript%3E&empty=&plus=a+b' })
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, ...pair]) => pair)
  t.strictSame(fields, [
    ['a', '1'],
    ['a', '2'],
    ['q', '&#34;&#62;&#60;script&#62;'],
    ['empty', ''],
    ['plus', 'a b'],
  ])
})

t.test('no external value leaves its place in the markup', async (t) => {
  const hostile = `"'></p></noscript></title></script><script>alert(1)</script><img src=x onerror=alert(1)><!--&amp;`
  const search = `?${new URLSearchParams({ [hostile]: hostile })}&</script><script>=<img src=x onerror=alert(1)>`
  const shown: PublicError[] = [
    { kind: 'failure', side: 'server', status: 500, digest: hostile },
    clientFailure,
    { kind: 'refusal', status: 400, message: hostile },
  ]
  for (const each of shown) {
    const outside = { host: hostile, search, nonce: hostile, hostScript }
    const html = fallbackDocument(each, outside) + fallbackNoscript(hostile, 500, outside)
    const text = html.replace(/<style>[^<]*<\/style>/g, '')
    t.notMatch(text, /<img|<script>|<!--/)
    const own = text
      .match(/<\/?[a-z]+/g)
      ?.filter(
        (tag) => !/^<\/?(html|head|body|meta|title|main|div|p|code|form|input|button|script|noscript)$/.test(tag),
      )
    t.strictSame(own, [], 'only tags of its own')
    t.equal(text.match(/<script/g)?.length ?? 0, each.kind === 'refusal' ? 0 : 1)
  }
})

t.test('the script that corrects the host treats it as text, not as a pattern', async (t) => {
  const html = fallbackContent(failure, { ...context, nonce: 'bm9uY2U=', hostScript })
  const script = /<script nonce="[^"]*">(.*)<\/script>/s.exec(html)?.[1] ?? ''
  const element = { dataset: { hydrantHost: 'shop.example' }, textContent: SERVER }
  const document = { querySelectorAll: () => [element] }
  new Function('document', 'location', script)(document, { hostname: '$&.public.example' })
  t.equal(element.textContent, serverSentence('$&.public.example'))
})

t.test('an error page gets only what a visitor may know', async (t) => {
  const retry = () => {}
  t.strictSame(errorPageProps(failure, 'shop.example', retry), {
    status: 500,
    message: SERVER,
    side: 'server',
    host: 'shop.example',
    digest: DIGEST,
    retry,
  })
  t.strictSame(errorPageProps(clientFailure, 'shop.example', retry), {
    status: 500,
    message: CLIENT,
    side: 'client',
    host: 'shop.example',
    retry,
  })
  t.strictSame(errorPageProps(refusal, 'shop.example', retry), {
    status: 403,
    message: 'Members only',
    side: 'server',
    host: 'shop.example',
    retry,
  })
  t.equal(errorPageProps({ ...failure, status: 504 }, 'h', retry).status, 504)
  t.equal(publicMessage(refusal, 'shop.example'), 'Members only')
})

t.test('the documentation has the hash of the style for a policy', async (t) => {
  const [, style = ''] = /<style>(.*?)<\/style>/.exec(fallbackContent(clientFailure, context)) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  t.match(readFileSync('docs/security.md', 'utf8'), `'sha256-${hash}'`)
})
