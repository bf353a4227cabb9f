import t from 'tap'
import { createEtagWriter, matchesEtag } from '../../../src/server/http/etag.ts'

const PAGE = { route: '/', nonce: 'abc', styleNonce: undefined }

/** Returns a document with the nonce in several places. */
const withNonce = (nonce: string, content = '1') =>
  `<script nonce="${nonce}">${content}</script><script nonce="${nonce}"></script>`

t.test('the ETag of a document does not depend on its nonces', async (t) => {
  const etag = createEtagWriter().of({ ...PAGE, content: withNonce('abc') })
  t.match(etag, /^W\/"[\w-]{27}"$/)
  for (const nonce of ['xyz', 'longer']) {
    t.equal(createEtagWriter().of({ ...PAGE, nonce, content: withNonce(nonce) }), etag, 'in another process')
  }
  const styled = (nonce: string, styleNonce: string) =>
    createEtagWriter().of({ ...PAGE, nonce, styleNonce, content: `${withNonce(nonce)}<style nonce="${styleNonce}">` })
  t.equal(styled('abc', 'def'), styled('uvw', 'xyz'))
})

t.test('the ETag depends on everything else, also after other documents of the same page', async (t) => {
  const etags = createEtagWriter()
  const documents = [
    ['abc', '1'],
    ['def', '1'],
    ['ghi', '2'],
    ['jkl', '1'],
    ['mno', 'longer'],
    ['pqr', '2'],
    // The text between the nonces is the same; the nonces are not the document's own.
    ['stu', '2', 'pqr'],
    ['vwx', '2', 'abc'],
  ] as const
  for (const [nonce, content, written = nonce] of documents) {
    const document = { ...PAGE, nonce, content: withNonce(written, content) }
    t.equal(etags.of(document), createEtagWriter().of(document), `${content} with ${written}`)
    t.equal(etags.of({ ...document, route: '/other' }), etags.of(document))
    const bytes = { ...document, route: '/bytes', content: Buffer.from(document.content) }
    t.equal(etags.of(bytes), etags.of(document), `the bytes of ${content} with ${written}`)
  }
})

t.test('documents that are too long to be kept have the same ETags', async (t) => {
  const etags = createEtagWriter()
  const long = 'x'.repeat(5_000_000)
  const of = (nonce: string) => etags.of({ ...PAGE, nonce, content: withNonce(nonce, long) })
  t.equal(of('abc'), of('xyz'))
})

t.test('ETags are compared weakly', async (t) => {
  const etag = 'W/"abc"'
  for (const [header, expected] of [
    [undefined, false],
    ['W/"abc"', true],
    ['"abc"', true],
    ['*', true],
    ['W/"x", W/"abc"', true],
    ['W/"x","abc"', true],
    ['W/"abcd"', false],
    ['abc', false],
    ['', false],
  ] as const) {
    t.equal(matchesEtag(header, etag), expected, header ?? 'none')
  }
})
