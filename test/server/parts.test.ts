import Fastify from 'fastify'
import t from 'tap'
import { classifyThrown } from '../../src/server/errors/classify-thrown.ts'
import {
  HttpError,
  isClientErrorStatus,
  localPath,
  NotFoundSignal,
  notFound,
  Redirection,
  redirect,
  redirectLocation,
} from '../../src/server/errors/http-error.ts'
import { addVary, createNonce, isStorable, setErrorHeaders } from '../../src/server/http/headers.ts'
import { isCrawler, preferredErrorFormat, preferredFormat } from '../../src/server/http/negotiate.ts'
import { createErrorProblem } from '../../src/server/http/problem.ts'
import { withoutTrailingSlash } from '../../src/server/http/request-url.ts'
import { findFailing } from '../find-failing.ts'

/** Returns the headers after a handler has worked on the reply. */
async function headersAfter(work: (reply: import('fastify').FastifyReply) => unknown) {
  const app = Fastify()
  let result: unknown
  app.get('/', async (_, reply) => {
    result = work(reply)
    return reply.send('x')
  })
  const { headers } = await app.inject('/')
  await app.close()
  return { headers, result }
}

function thrownBy(work: () => unknown): unknown {
  try {
    return { returned: work() }
  } catch (thrown) {
    return thrown
  }
}
/** Returns the code of the error that a function throws, or what it returns. */
const codeOf = (work: () => unknown) => {
  const thrown = thrownBy(work)
  return thrown instanceof Error && 'code' in thrown ? thrown.code : thrown
}

t.test('a nonce has 144 bits that do not repeat', async (t) => {
  const nonces = Array.from({ length: 1_000 }, createNonce)
  t.equal(new Set(nonces).size, nonces.length)
  t.strictSame(
    nonces.filter((nonce) => !/^[A-Za-z0-9+/]{24}$/.test(nonce)),
    [],
  )
})

t.test('Vary gets only values that it does not contain yet', async (t) => {
  const cases = [
    [undefined, 'Accept'],
    ['Accept', 'Accept'],
    ['accept', 'accept'],
    ['Accept-Encoding', 'Accept-Encoding, Accept'],
    ['Cookie, Accept', 'Cookie, Accept'],
    ['Cookie,accept , Origin', 'Cookie,accept , Origin'],
    ['X-Accept', 'X-Accept, Accept'],
    ['*', '*'],
  ] as const
  const failing = await findFailing(
    cases,
    async ([before]) => {
      const { headers } = await headersAfter((reply) => {
        if (before) reply.header('vary', before)
        addVary(reply, 'Accept')
      })
      return headers.vary
    },
    ([, after]) => after,
  )
  t.strictSame(failing, [])
  const { headers } = await headersAfter((reply) => {
    reply.header('vary', ['Cookie', 'Origin'])
    addVary(reply, 'Accept')
  })
  t.equal(String(headers.vary).replaceAll(', ', ',').split(',').sort().join(), 'Accept,Cookie,Origin')
  const several = await headersAfter((reply) => {
    reply.header('vary', 'Cookie, accept-encoding')
    addVary(reply, 'Accept, Accept-Encoding')
  })
  t.equal(several.headers.vary, 'Cookie, accept-encoding, Accept')
})

t.test('a response may be stored if its Cache-Control allows it', async (t) => {
  const cases = [
    [undefined, false],
    ['public, max-age=5', true],
    ['private', true],
    ['no-cache', true],
    ['no-store', false],
    ['private, NO-STORE', false],
  ] as const
  const failing = await findFailing(
    cases,
    async ([value]) => {
      const { result } = await headersAfter((reply) => {
        if (value) reply.header('cache-control', value)
        return isStorable(reply)
      })
      return result
    },
    ([, expected]) => expected,
  )
  t.strictSame(failing, [])
})

t.test('an error removes the headers set for the page and keeps the others', async (t) => {
  const { headers } = await headersAfter((reply) => {
    reply.headers({
      etag: '"a"',
      'last-modified': 'x',
      location: '/x',
      expires: 'x',
      'content-disposition': 'attachment',
      'cache-control': 'public',
      'x-own': '1',
      'set-cookie': 'a=b',
    })
    setErrorHeaders(reply)
  })
  t.match(headers, { 'cache-control': 'no-store', 'x-own': '1', 'set-cookie': 'a=b' })
  const removed = ['etag', 'last-modified', 'location', 'expires', 'content-disposition']
  t.strictSame(
    removed.filter((name) => name in headers),
    [],
  )
})

t.test('slashes at the end are removed, and the rest is never read as a host', async (t) => {
  const cases = [
    ['/', null],
    ['/a', null],
    ['/?a=/', null],
    ['', null],
    ['/a/', '/a'],
    ['/a///', '/a'],
    ['/a/?b=c/', '/a?b=c/'],
    ['//', '/'],
    ['//evil.example/', '/evil.example'],
    ['///evil.example//', '/evil.example'],
    ['/\\evil.example/', '/evil.example'],
    ['\\\\evil.example/', '/evil.example'],
    ['//?a', '/?a'],
  ] as const
  const failing = await findFailing(
    cases,
    ([url]) => withoutTrailingSlash(url),
    ([, expected]) => expected,
  )
  t.strictSame(failing, [])
})

t.test('a redirect leads below the base, and off the site only on purpose', async (t) => {
  const cases = [
    ['/a', '/', '/', '/a'],
    ['/a', '/shop/x', '/shop', '/shop/a'],
    ['/', '/shop/x', '/shop', '/shop'],
    ['b', '/shop/x', '/shop', '/shop/b'],
    ['../b', '/shop/x/y', '/shop', '/shop/b'],
    ['?a=1', '/shop/x', '/shop', '/shop/x?a=1'],
    ['#x', '/a?b=1', '/', '/a?b=1#x'],
    ['', '/a?b=1', '/', '/a?b=1'],
    ['/a b/ü', '/', '/', '/a%20b/%C3%BC'],
    ['/.//evil.example', '/', '/', '/evil.example'],
    ['//site.invalid//evil.example', '/', '/', '/evil.example'],
  ] as const
  const failing = await findFailing(
    cases,
    ([to, path, base]) => redirectLocation(to, path, base),
    ([, , , expected]) => expected,
  )
  t.strictSame(failing, [])
  t.equal(redirectLocation(new URL('https://other.example/x'), '/', '/shop'), 'https://other.example/x')
  const outside = [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'http:evil.example',
    'javascript:1',
    'mailto:a@b.example',
    'http://',
    ...['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd'].map((url) => new URL(url)),
  ]
  const refused = await findFailing(
    outside,
    (to) => codeOf(() => redirectLocation(to, '/', '/')),
    () => 'HYD_REDIRECT_OUTSIDE',
  )
  t.strictSame(refused, [])
  const long = `//evil.example/${'a'.repeat(100)}`
  t.throws(() => redirectLocation(long, '/', '/'), { message: /^redirect\("\/\/evil\.example\/a{63}…\) would/ }, 'cut')
})

t.test('only a path from a request that redirect() accepts is kept', async (t) => {
  const paths = ['/', '/a?b=1#c', 'a', '../a', '?a=//b', '#x', '/a//b', '/http://a.example', '/ü', '/.//a.example']
  const kept = await findFailing(
    paths,
    (path) => [localPath(path, '/home'), thrownBy(() => redirect(path)) instanceof Redirection],
    (path) => [path, true],
  )
  t.strictSame(kept, [])
  const others = [
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '\n//evil.example',
    ' //evil.example',
    '\0//evil.example',
    '//evil.example@site.invalid:1/',
    '//[',
    'https://evil.example',
    'http:evil.example',
    'https:/evil.example',
    'ht\ntps://evil.example',
    'javascript:alert(1)',
    ' java\tscript:alert(1)',
    'data:text/html,x',
    'blob:https://evil.example/x',
    'mailto:a@evil.example',
  ]
  const refused = await findFailing(
    others,
    (text) => [localPath(text, '/home'), codeOf(() => redirect(text))],
    () => ['/home', 'HYD_REDIRECT_OUTSIDE'],
  )
  t.strictSame(refused, [])
  const values = [undefined, null, '', ['/a'], new File([], '/a'), new URL('https://evil.example'), 1, {}]
  const ofValues = await findFailing(
    values,
    (value) => localPath(value, '/home'),
    () => '/home',
  )
  t.strictSame(ofValues, [])
})

t.test('each thrown value has its own meaning', async (t) => {
  t.match(classifyThrown(thrownBy(() => redirect('/a', 303))), {
    kind: 'redirect',
    redirection: { to: '/a', status: 303 },
  })
  t.strictSame(classifyThrown(thrownBy(notFound)), { kind: 'notFound' })
  t.strictSame(classifyThrown(new HttpError(403, 'Members only')), {
    kind: 'refusal',
    status: 403,
    message: 'Members only',
    headers: {},
  })
  t.strictSame(classifyThrown(Object.assign(new Error('x'), { statusCode: 422 })), {
    kind: 'refusal',
    status: 422,
    message: 'x',
    headers: {},
  })
  t.strictSame(classifyThrown(new HttpError(404, '')), { kind: 'notFound' })
  t.strictSame(classifyThrown(new HttpError(404, 'No such product')), {
    kind: 'refusal',
    status: 404,
    message: 'No such product',
    headers: {},
  })
  const failing = await findFailing(
    [500, 399, 400.5, '404', 200, Number.NaN, null],
    (statusCode) => [classifyThrown(Object.assign(new Error('x'), { statusCode })), isClientErrorStatus(statusCode)],
    () => [{ kind: 'failure' }, false],
  )
  t.strictSame(failing, [])
  t.strictSame(classifyThrown({ statusCode: 404, message: 'no error' }), { kind: 'failure' }, 'no Error')
  t.throws(() => new HttpError(500, 'x'), { code: 'HYD_HTTP_ERROR_STATUS' })
  t.throws(() => new HttpError('403' as never, 'x'), {
    message: 'the status of an HttpError must be a number from 400 to 499; got "403"',
    fix: /^Pass a number from 400 to 499, such as 403, or /,
  })
  t.throws(() => redirect('/a', 200 as 302), { code: 'HYD_REDIRECT_STATUS' })
  t.type(
    thrownBy(() => redirect(new URL('https://a.example'))),
    Redirection,
  )
  t.type(thrownBy(notFound), NotFoundSignal)
})

t.test('pages prefer HTML, other routes JSON', async (t) => {
  const cases = [
    [undefined, 'html', 'json'],
    ['*/*', 'html', 'json'],
    ['text/html', 'html', 'html'],
    ['application/json', 'json', 'json'],
    ['application/problem+json', 'json', 'json'],
    ['text/html;q=0.1, application/json', 'json', 'json'],
    ['text/html,application/json;q=0.9', 'html', 'html'],
    ['application/json; charset=utf-8', 'json', 'json'],
    ['application/json;v="a,b"; q=0.5, text/html;level=1', 'html', 'html'],
    ['text/html;q=0.4;level=1, application/json;charset=UTF-8', 'json', 'json'],
    ['image/*', 'html', 'json'],
    ['', 'html', 'json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'html', 'html'],
  ] as const
  const failing = await findFailing(
    cases,
    ([accept]) => {
      const headers = accept === undefined ? {} : { accept }
      return { page: preferredFormat(headers), route: preferredErrorFormat(headers) }
    },
    ([, page, route]) => ({ page, route }),
  )
  t.strictSame(failing, [])
})

t.test('a problem contains only what a visitor may know', async (t) => {
  t.strictSame(createErrorProblem({ kind: 'refusal', status: 418, message: 'Tea' }, 'h', '/a'), {
    type: 'about:blank',
    title: "I'm a Teapot",
    status: 418,
    instance: '/a',
    detail: 'Tea',
  })
  t.equal(createErrorProblem({ kind: 'refusal', status: 499, message: 'x' }, 'h', '/a').title, 'Error')
  t.notOk('digest' in createErrorProblem({ kind: 'failure', side: 'client' }, 'h', '/a'))
})

t.test('crawlers are distinguished from browsers and scripts', async (t) => {
  const crawlers = [
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
    'facebookexternalhit/1.1',
    'Twitterbot/1.0',
  ]
  // The second time, too.
  const twice = (agent: string | undefined) => [isCrawler(agent), isCrawler(agent)]
  t.strictSame(await findFailing(crawlers, twice, () => [true, true]), [])
  const others = [
    undefined,
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:150.0) Gecko/20100101 Firefox/150.0',
    'curl/8.5.0',
    'node',
    'undici',
    'python-requests/2.31',
    'Go-http-client/1.1',
    // This is a test suite that uses `inject`.
    'lightMyRequest',
  ]
  t.strictSame(
    await findFailing(
      others,
      (agent) => isCrawler(agent),
      () => false,
    ),
    [],
  )
  for (let index = 0; index < 3_000; index++) isCrawler(`agent ${index}`)
  t.ok(isCrawler('Twitterbot/1.0'), 'after many others')
})
